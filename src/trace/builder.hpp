// What every reader of a trace format works with: the opened input, and a builder that takes the
// jobs, decides which are kept, and counts what became of the others.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "base/file.hpp"
#include "base/problems.hpp"
#include "mosim/trace.hpp"

namespace mosim {

// An input whose format is to be told, or was.
struct TraceInput {
  std::string file;                      // as the user named it
  std::unique_ptr<PeekedSource> source;  // null when `file` is a folder
  std::string_view head;                 // its first bytes, 64 KiB at most
  std::vector<std::string> first_row;    // of its first line that is not blank, split at commas
};

// Whether ids are the file's own, to be used once each, or made by the reader.
enum class JobIds { of_the_file, made };
// Whether times are calendar times, or numbers on a clock whose zero means nothing.
enum class TraceTimes { calendar, as_written };

struct TraceShape {
  std::string format = {};
  JobIds ids = JobIds::of_the_file;
};

// Takes the jobs of one file, in the file's order.
//
// A reader of rows works like this:
//
//   while (builder.next_row(csv)) {
//     TraceJob job;
//     ... csv.number(column, range, builder.problems()) ...
//     builder.add(std::move(job));
//   }
//
// `add` treats what a job's own fields tell: its status, GPUs, share and duration. What only the
// format knows (a blank time, attempts that overlap) the reader tells first with `admits`.
class TraceBuilder {
 public:
  TraceBuilder(const TraceOptions& options, std::string file);

  [[nodiscard]] const TraceOptions& options() const { return options_; }
  [[nodiscard]] const std::string& file() const { return file_; }

  // To be said before the first job by readers of calendar times. A window of times as they are
  // written is applied at once; one that counts from the earliest submission only where no job to
  // come can move it.
  void times_are(TraceTimes times) { times_ = times; }

  // Where a reader reports what is wrong with the row at hand.
  [[nodiscard]] Problems& problems() { return problems_; }

  // The next row that has the header's fields; others are problems, or bad rows when lenient.
  bool next_row(CsvReader& csv);

  // Whether the row at hand has problems; it is done with then. Only readers that need more than
  // one row for a job ask: `add` does it for the others.
  bool settle_problems();

  // Positions of jobs are in this file: for formats of several.
  void set_file(std::string file) { file_ = std::move(file); }

  // Counts the finding for the job at hand and tells what to do about it. Nothing when the job is
  // to be dropped; the reader then leaves it. Throws InputError where the treatment is `stop`.
  // A job counts as dropped once, however many findings it has.
  std::optional<Treatment> admits(Finding finding, const Position& where, std::string_view id);

  // A job that was read whole. `submit_s` and `start_s` are on the file's clock (calendar times: as
  // CalendarClock gives them). An unfinished job needs `start_s`; its duration is found at the end.
  // `idle_s` is the part of the time since its start in which it did not run. A job with problems
  // is not kept.
  void add(TraceJob&& job, double idle_s = 0);

  // The submission time of a job that is dropped: time 0 does not move when more is dropped.
  void saw_submission(double time_s);

  // A time at which the traced cluster was still watched: the latest one ends unfinished jobs.
  void saw(double time_s) { latest_ = std::max(latest_, time_s); }

  // The jobs in order of submission; of calendar times the earliest submission becomes 0. Throws
  // InputError with all problems.
  Trace finish(const TraceShape& shape);

 private:
  // A kept job without its weight: what is sorted.
  struct Kept {
    double submit_s = 0;
    std::uint64_t order = 0;  // of the file: its position
    std::uint32_t at = 0;     // in jobs_
    bool dropped = false;     // after all
  };

  bool treat_own_findings(TraceJob& job);
  void keep(TraceJob&& job, double idle_s);
  [[nodiscard]] bool surely_outside_window(double submit_s) const;
  [[nodiscard]] bool limited() const;
  void refuse_duplicate_ids();
  void drop_outside_window(double epoch_s);
  void put_in_order();
  void end_unfinished(TraceJob& job) const;
  void set_default_duration(TraceJob& job) const;

  TraceOptions options_;
  std::string file_;
  Problems problems_;
  std::size_t settled_problems_ = 0;  // of the rows before the one at hand
  std::vector<TraceJob> jobs_;
  std::vector<Kept> kept_;  // a heap with the latest on top while `limited`
  TraceTimes times_ = TraceTimes::as_written;
  TraceAccount account_;
  double earliest_ = 0;
  double latest_ = 0;
  bool any_ = false;
};

}  // namespace mosim
