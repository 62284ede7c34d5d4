#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/csv.hpp"
#include "trace/formats.hpp"

namespace mosim {
namespace {

// Days since 1970-01-01 in the proleptic Gregorian calendar.
// Source: Howard Hinnant, "chrono-compatible low-level date algorithms", days_from_civil.
constexpr std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<unsigned>(year - era * 400);
  const unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + static_cast<std::int64_t>(day_of_era) - 719468;
}

unsigned days_in_month(int year, unsigned month) {
  constexpr std::array<unsigned, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[month - 1] + (leap && month == 2 ? 1U : 0U);
}

// "2017-10-09 07:01:55" as seconds since 1970, without a time zone; nothing when it is not that.
std::optional<double> parse_timestamp(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd dd:dd:dd";
  if (text.size() != kShape.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != kShape[i]) return std::nullopt;
  }
  const auto part = [&](std::size_t at, std::size_t length) {
    unsigned value = 0;
    std::from_chars(text.data() + at, text.data() + at + length, value);
    return value;
  };
  const unsigned year = part(0, 4), month = part(5, 2), day = part(8, 2);
  const unsigned hour = part(11, 2), minute = part(14, 2), second = part(17, 2);
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(static_cast<int>(year), month) ||
      hour > 23 || minute > 59 || second > 59) {
    return std::nullopt;
  }
  const std::int64_t days = days_from_civil(year, month, day);
  return static_cast<double>(days * 86400 + std::int64_t{hour} * 3600 + std::int64_t{minute} * 60 +
                             second);
}

}  // namespace

std::vector<TraceJob> read_philly_csv_trace(const TraceOptions& options) {
  CsvReader csv(options.file, "a trace in the philly-csv format");
  const std::size_t timestamp = csv.require({"timestamp"});
  const std::size_t duration = csv.require({"duration"});
  const std::size_t gpus = csv.require({"num_gpus"});
  std::vector<TraceJob> jobs;
  Problems problems;
  double earliest = 0;
  while (csv.next()) {
    TraceJob& job = jobs.emplace_back();
    job.position = csv.position(timestamp);
    job.id = fmt::format("{}", jobs.size() - 1);  // the format has no ids: the row, from 0
    const auto time = parse_timestamp(csv.field(timestamp));
    if (!time) {
      problems.add(csv.where(timestamp), fmt::format("timestamp is '{}'", csv.field(timestamp)),
                   "a time such as 2017-10-09 07:01:55");
    }
    job.submit_s = time.value_or(0);
    job.duration_s = csv.number(duration, {0, kLongestTime_s}, problems);
    job.workers = static_cast<std::uint32_t>(csv.number(gpus, {1, kMostGpus, true}, problems));
    earliest = jobs.size() == 1 ? job.submit_s : std::min(earliest, job.submit_s);
  }
  problems.throw_if_any();
  for (TraceJob& job : jobs) job.submit_s -= earliest;
  return jobs;
}

}  // namespace mosim
