// Random traces and the real samples, written and read back.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "mosim/trace.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

// A thing of a job as text, and how `losses_of` calls it.
struct Facet {
  std::string name;
  std::string (*of)(const Trace& trace, const TraceJob& job);
};

std::string shown(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

std::string moment(const Trace& trace, const std::optional<double>& time) {
  return time ? fmt::format("{}", trace.epoch_s.value_or(0) + *time) : "none";
}

const std::vector<Facet>& facets() {
  using T = const Trace&;
  using J = const TraceJob&;
  static const std::vector<Facet> all{
      {"ids", [](T, J job) { return job.id; }},
      {"submission times", [](T trace, J job) { return moment(trace, job.submit_s); }},
      {"durations",
       [](T, J job) { return job.duration_known ? shown(job.duration_s) : std::string("none"); }},
      {"start times", [](T trace, J job) { return moment(trace, job.start_s); }},
      {"deadlines", [](T trace, J job) { return moment(trace, job.deadline_s); }},
      {"estimates", [](T, J job) { return shown(job.estimate_s); }},
      {"priorities", [](T, J job) { return shown(job.priority); }},
      {"iterations", [](T, J job) { return shown(job.iterations); }},
      {"models", [](T, J job) { return job.model; }},
      {"users", [](T, J job) { return job.user; }},
      {"virtual clusters", [](T, J job) { return job.virtual_cluster; }},
      {"GPU types", [](T, J job) { return job.gpu_type; }},
      {"statuses", [](T, J job) { return std::string(status_name(job.status)); }},
      {"workers of several GPUs", [](T, J job) { return fmt::format("{}", job.gpus_per_worker); }},
      {"GPU shares", [](T, J job) { return fmt::format("{}", job.gpu_share); }},
      {"CPU cores", [](T, J job) { return fmt::format("{}", job.cpus_per_worker * job.workers); }},
      {"memory sizes",
       [](T, J job) { return fmt::format("{}", job.memory_mb_per_worker * job.workers); }},
      {"batch sizes", [](T, J job) { return fmt::format("{}", job.batch_size); }},
  };
  return all;
}

// The jobs that `losses_of` tells of a thing, over its lines.
std::uint64_t told(const std::vector<std::string>& losses, const std::string& name) {
  std::uint64_t jobs = 0;
  for (const std::string& line : losses) {
    if (line.starts_with(name + " of ")) jobs += std::stoull(line.substr(name.size() + 4));
  }
  return jobs;
}

// Whether the format takes the job at all.
bool takes(const std::string& format, const TraceJob& job) {
  if (format == "mosim") return true;
  if (format == "pollux") return !job.model.empty() && job.batch_size > 0;
  return job.duration_known;
}

template <typename T>
T between(T low, T high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high + 1));
}

bool coin() { return between(0, 1) == 1; }

std::string random_name() {
  const auto part =
      rc::gen::element<std::string>("a", "b7", ",", "\"", "x y", "\xC3\xA9", "\n", "-", "{}", "\\");
  std::string name = "n";
  for (int i = between(0, 3); i > 0; --i) name += *part;
  return name;
}

std::string some_name() { return coin() ? random_name() : ""; }

// Whole seconds, thousandths of them, or any double.
double random_time() {
  const double whole = between(0, 5000000);
  if (coin()) return whole;
  return coin() ? whole / 1000 : whole / 7;
}

// No reader gives a job that is `unfinished`.
JobStatus random_status() {
  return static_cast<JobStatus>(between<int>(0, static_cast<int>(kJobStatuses) - 2));
}

TraceJob random_job(int number) {
  TraceJob job;
  job.id = fmt::format("{}{}", random_name(), number);
  job.submit_s = random_time();
  job.duration_known = between(0, 9) > 0;
  if (job.duration_known) job.duration_s = random_time();
  if (coin()) job.start_s = job.submit_s + random_time();
  if (coin()) job.deadline_s = job.submit_s + random_time();
  if (coin()) job.estimate_s = random_time();
  if (coin()) job.priority = between(-1000, 1000) / 7.0;
  if (coin()) job.iterations = 1 + random_time();
  job.model = some_name();
  job.user = some_name();
  job.virtual_cluster = some_name();
  job.gpu_type = some_name();
  job.status = random_status();
  job.workers = between(1U, 16U);
  job.gpus_per_worker = coin() ? 1 : between(1U, 8U);
  if (coin()) job.gpu_share = coin() ? between(1, 1000) / 1000.0 : between(1, 999) / 999.0;
  job.cpus_per_worker = between(0U, 64U);
  job.memory_mb_per_worker = coin() ? 0 : between(1U, 1000000U);
  job.batch_size = coin() ? 0 : between(1U, 4096U);
  return job;
}

Trace random_trace() {
  Trace trace;
  trace.file = "random";
  if (coin()) trace.epoch_s = between(0, 2000000000);
  const int jobs = between(1, 12);
  for (int job = 0; job < jobs; ++job) trace.jobs.push_back(random_job(job));
  std::stable_sort(trace.jobs.begin(), trace.jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit_s < b.submit_s; });
  return trace;
}

Trace round_trip(const Trace& trace, const std::string& format) {
  const test::TemporaryFolder folder;
  std::string text;
  write_trace(trace, format, [&](std::string_view piece) { text += piece; });
  return read_trace({.file = folder.write("trace", text), .format = format});
}

// The readers of these leave the CPUs alone, which the files have.
bool reads_cpus(const std::string& format) { return format != "helios" && format != "acme"; }

// Every job and every thing of it that `losses_of` does not name is as it was, and as many differ
// as it says.
void check_round_trip(const Trace& trace, const std::string& format) {
  Trace expected = trace;
  std::erase_if(expected.jobs, [&](const TraceJob& job) { return !takes(format, job); });
  RC_PRE(!expected.jobs.empty());
  const Trace back = round_trip(trace, format);
  RC_ASSERT(back.format == format);
  RC_ASSERT(back.jobs.size() == expected.jobs.size());
  const std::vector<std::string> losses = losses_of(trace, format);
  const bool dated = std::none_of(losses.begin(), losses.end(), [](const std::string& line) {
    return line == "calendar times of all jobs";
  });
  if (!dated) expected.epoch_s.reset();
  for (const Facet& facet : facets()) {
    if (facet.name == "CPU cores" && !reads_cpus(format)) continue;
    std::uint64_t differ = 0;
    for (std::size_t i = 0; i < back.jobs.size(); ++i) {
      if (facet.of(expected, expected.jobs[i]) != facet.of(back, back.jobs[i])) ++differ;
    }
    RC_LOG() << format << ": " << facet.name << "\n";
    RC_ASSERT(differ == told(losses, facet.name));
  }
  for (std::size_t i = 0; i < back.jobs.size(); ++i) {
    RC_ASSERT(back.jobs[i].gpus() == expected.jobs[i].gpus());
  }
}

std::vector<std::string> formats_with_a_reader() {
  std::vector<std::string> formats = writable_trace_formats();
  std::erase_if(formats, [](const std::string& name) {
    const auto& readable = trace_formats();
    return std::none_of(readable.begin(), readable.end(),
                        [&](const TraceFormat& format) { return format.name == name; });
  });
  return formats;
}

TEST(WriteTraceProperties, WhatIsNotToldComesBack) {
  const std::vector<std::string> formats = formats_with_a_reader();
  ASSERT_GE(formats.size(), 2U);
  for (const std::string& format : formats) {
    SCOPED_TRACE(format);
    EXPECT_TRUE(rc::check(format + " gives back what it is not said to lose",
                          [&] { check_round_trip(random_trace(), format); }));
  }
}

// By bytes: a job that is read back is written as the same row.
TEST(WriteTraceProperties, MosimLosesNothing) {
  EXPECT_TRUE(rc::check("mosim gives back everything", [] {
    Trace trace = random_trace();
    if (trace.epoch_s) *trace.epoch_s += between(0, 999999) / 1e6;
    const Trace back = round_trip(trace, "mosim");
    RC_ASSERT(losses_of(trace, "mosim").empty());
    RC_ASSERT(back.epoch_s == trace.epoch_s);
    RC_ASSERT(back.jobs.size() == trace.jobs.size());
    for (std::size_t i = 0; i < back.jobs.size(); ++i) {
      for (const Facet& facet : facets()) {
        RC_ASSERT(facet.of(back, back.jobs[i]) == facet.of(trace, trace.jobs[i]));
      }
      RC_ASSERT(back.jobs[i].submit_s == trace.jobs[i].submit_s);
      RC_ASSERT(back.jobs[i].start_s == trace.jobs[i].start_s);
      RC_ASSERT(back.jobs[i].workers == trace.jobs[i].workers);
    }
  }));
}

// The trace in a file, if it is one that can be read.
std::optional<Trace> read_sample(const std::string& file) {
  try {
    return read_trace({.file = file});
  } catch (const InputError&) {
    return std::nullopt;
  }
}

TEST(WriteTraceProperties, RealTracesComeBackFromMosim) {
  const std::string folder = test::shared_path("traces");
  MOSIM_NEEDS(folder);
  std::size_t traces = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const auto trace = read_sample(entry.path().string());
    if (!trace) continue;
    SCOPED_TRACE(entry.path().string());
    ++traces;
    EXPECT_EQ(losses_of(*trace, "mosim"), std::vector<std::string>{});
    const Trace back = round_trip(*trace, "mosim");
    EXPECT_EQ(back.epoch_s, trace->epoch_s);
    ASSERT_EQ(back.jobs.size(), trace->jobs.size());
    std::uint64_t differ = 0;
    for (std::size_t i = 0; i < back.jobs.size(); ++i) {
      for (const Facet& facet : facets()) {
        if (facet.of(back, back.jobs[i]) != facet.of(*trace, trace->jobs[i])) ++differ;
      }
    }
    EXPECT_EQ(differ, 0U);
  }
  EXPECT_GE(traces, 2U);
}

}  // namespace
}  // namespace mosim
