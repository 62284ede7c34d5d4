#include <fmt/format.h>

#include <algorithm>

#include "cluster/formats.hpp"

namespace mosim {
namespace {

constexpr NumberRange kGpus{0, 1e6, true};

struct Day {
  std::string date;
  std::vector<std::uint32_t> gpus;  // by column; 0 where the column is no virtual cluster
};

// The GPUs of the row at hand.
Day read_day(ClusterInput& input, std::size_t date, std::size_t total) {
  const CsvReader& csv = input.csv;
  Day day{std::string(csv.field(date)), std::vector<std::uint32_t>(csv.header().size())};
  std::uint64_t sum = 0;
  for (std::size_t column = 0; column < day.gpus.size(); ++column) {
    if (column == date || column == total) continue;
    day.gpus[column] = static_cast<std::uint32_t>(csv.number(column, kGpus, input.problems));
    sum += day.gpus[column];
  }
  const auto stated = static_cast<std::uint64_t>(csv.number(total, kGpus, input.problems));
  if (stated != sum) {
    input.problems.add(csv.where(total), fmt::format("total is {}", stated),
                       fmt::format("{}, the sum of the virtual clusters", sum));
  }
  return day;
}

Day find_day(ClusterInput& input) {
  const std::size_t date = input.csv.require({"date"});
  const std::size_t total = input.csv.require({"total"});
  const std::string& wanted = input.options.date;
  std::string first;
  std::string last;
  Day day;
  while (input.csv.next()) {
    last = input.csv.field(date);
    if (first.empty()) first = last;
    if (wanted.empty() || last == wanted) day = read_day(input, date, total);
  }
  input.problems.throw_if_any();
  if (last.empty()) {
    throw InputError({input.options.file, {2, 1}}, "has no day", "at least one row");
  }
  if (day.date.empty()) {
    throw InputError({input.options.file, {}}, fmt::format("has no row of the date '{}'", wanted),
                     fmt::format("a date as the file writes it, {} to {}", first, last));
  }
  return day;
}

}  // namespace

void read_helios_cluster(ClusterInput& input) {
  for (const std::string& name : input.csv.header()) {
    (void)input.csv.require({name});  // each once
    if (!name.empty()) continue;
    throw InputError({input.options.file, {}}, "has a column without a name",
                     "the name of a virtual cluster");
  }
  const Day day = find_day(input);
  std::vector<std::string> without;
  for (std::size_t column = 0; column < day.gpus.size(); ++column) {
    const std::string& name = input.csv.header()[column];
    if (name == "date" || name == "total") continue;
    if (day.gpus[column] == 0) {
      without.push_back(name);
      continue;
    }
    input.cluster.spec.virtual_clusters.push_back({.name = name});
    ServerGroup group = input.server;
    group.virtual_cluster = name;
    group.count = day.gpus[column] / group.gpus;
    const std::uint32_t rest = day.gpus[column] % group.gpus;
    if (group.count > 0) input.cluster.spec.groups.push_back(group);
    if (rest == 0) continue;
    group.count = 1;
    group.gpus = rest;
    input.cluster.spec.groups.push_back(group);
  }
  std::string note = fmt::format("the cluster as of {}", day.date);
  if (!without.empty()) {
    note += fmt::format("; left out, without GPUs on that day: {}",
                        fmt::join(without.begin(), without.end(), ", "));
  }
  input.cluster.notes.push_back(std::move(note));
}

}  // namespace mosim
