#include <fmt/format.h>

#include "base/calendar.hpp"
#include "base/csv.hpp"
#include "trace/formats.hpp"

namespace mosim {

bool recognizes_philly_csv(const TraceInput& input) {
  return has_columns(input, {"timestamp", "duration", "num_gpus"});
}

Trace read_philly_csv_trace(TraceInput input, TraceBuilder& builder) {
  CsvReader csv(input.file, std::move(input.source), "a trace in the philly-csv format");
  const std::size_t timestamp = csv.require({"timestamp"});
  const std::size_t duration = csv.require({"duration"});
  const std::size_t gpus = csv.require({"num_gpus"});
  const auto virtual_cluster = csv.find({"cluster"});
  CalendarClock clock;
  builder.times_are(TraceTimes::calendar);
  for (std::uint64_t row = 0; builder.next_row(csv); ++row) {
    TraceJob job;
    job.position = csv.position(timestamp);
    job.id = fmt::format_int(row).str();  // the format has no ids: the row, from 0
    const auto time = clock.read(csv.field(timestamp));
    if (!time) {
      builder.problems().add(csv.where(timestamp),
                             fmt::format("timestamp is '{}'", csv.field(timestamp)),
                             "a time such as 2017-10-09 07:01:55");
    }
    job.submit_s = time.value_or(0);
    job.duration_s = csv.number(duration, {0, kLongestTime_s}, builder.problems());
    job.workers =
        static_cast<std::uint32_t>(csv.number(gpus, {1, kMostGpus, true}, builder.problems()));
    if (virtual_cluster) job.virtual_cluster = csv.field(*virtual_cluster);
    builder.add(std::move(job));
  }
  return builder.finish({.format = "philly-csv", .ids = JobIds::made});
}

}  // namespace mosim
