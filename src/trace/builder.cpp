#include "trace/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/random.hpp"
#include "base/text.hpp"

namespace mosim {
namespace {

constexpr std::size_t kShownBadRows = 5;

std::optional<Finding> finding_of(JobStatus status) {
  switch (status) {
    case JobStatus::failed:
    case JobStatus::timed_out:
    case JobStatus::node_failed:
      return Finding::failed;
    case JobStatus::cancelled:
      return Finding::cancelled;
    case JobStatus::unfinished:
      return Finding::unfinished;
    case JobStatus::unknown:
    case JobStatus::completed:
      return std::nullopt;
  }
  return std::nullopt;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// Whether the job is in the sample: by its id, so that other jobs do not matter.
bool sampled(const TraceFilter& filter, const std::string& id) {
  if (filter.sample >= 1) return true;
  return RandomStream(filter.sample_seed, id).uniform() < filter.sample;
}

bool wanted(const TraceFilter& filter, const TraceJob& job) {
  return job.gpus() >= filter.min_gpus && (filter.max_gpus == 0 || job.gpus() <= filter.max_gpus) &&
         contains(filter.statuses, status_name(job.status)) &&
         contains(filter.virtual_clusters, job.virtual_cluster) && sampled(filter, job.id);
}

bool in_window(const TraceFilter& filter, double submit_s) {
  return submit_s >= filter.from_s && submit_s < filter.to_s;
}

void scale(const TraceFilter& filter, TraceJob& job) {
  const double submissions = filter.time_scale / filter.load_scale;
  // What came after the submission keeps its distance but for the scale of time.
  const double submit_s = job.submit_s * submissions;
  const auto moved = [&](double time) {
    return submit_s + (time - job.submit_s) * filter.time_scale;
  };
  if (job.start_s) job.start_s = moved(*job.start_s);
  if (job.deadline_s) job.deadline_s = moved(*job.deadline_s);
  if (job.estimate_s) *job.estimate_s *= filter.time_scale;
  job.submit_s = submit_s;
  job.duration_s *= filter.time_scale;
  if (job.iterations) job.iterations = *job.iterations * filter.time_scale;
}

std::uint64_t order_of(const Position& position) {
  return (std::uint64_t{position.line} << 32) | position.column;
}

// Of two kept jobs, whether the first was submitted first; equal times are in the file's order.
constexpr auto kEarlier = [](const auto& a, const auto& b) {
  if (a.submit_s != b.submit_s) return a.submit_s < b.submit_s;
  return a.order != b.order ? a.order < b.order : a.at < b.at;
};

// jobs[i] becomes what was jobs[from[i]]; every job is moved once.
void permute(std::vector<TraceJob>& jobs, std::vector<std::uint32_t> from) {
  for (std::uint32_t start = 0; start < jobs.size(); ++start) {
    if (from[start] == start) continue;
    TraceJob first = std::move(jobs[start]);
    std::uint32_t at = start;
    while (from[at] != start) {
      const std::uint32_t next = from[at];
      jobs[at] = std::move(jobs[next]);
      from[at] = at;
      at = next;
    }
    jobs[at] = std::move(first);
    from[at] = at;
  }
}

// Grows a full vector by more than it would itself. Memory that is not written to costs nothing
// yet, and moving jobs does.
template <typename T>
void reserve_ahead(std::vector<T>& items) {
  if (items.size() < items.capacity()) return;
  items.reserve(std::max<std::size_t>(1024, 4 * items.size()));
}

}  // namespace

TraceBuilder::TraceBuilder(const TraceOptions& options, std::string file)
    : options_(options), file_(std::move(file)) {}

// Whether jobs_ never needs to grow beyond the limit: not where the beginning of the window is only
// known at the end.
bool TraceBuilder::limited() const {
  return options_.filter.limit > 0 &&
         (times_ == TraceTimes::as_written || options_.filter.from_s <= 0);
}

// Time 0 of calendar times can only become earlier, and the job later.
bool TraceBuilder::surely_outside_window(double submit_s) const {
  if (times_ == TraceTimes::as_written) return !in_window(options_.filter, submit_s);
  return submit_s - earliest_ >= options_.filter.to_s;
}

// When lenient, the problems become a bad row.
bool TraceBuilder::settle_problems() {
  if (problems_.count() == settled_problems_) return false;
  ++account_.jobs_read;
  if (!options_.lenient) {
    settled_problems_ = problems_.count();
    return true;
  }
  constexpr auto kBad = static_cast<std::size_t>(Finding::bad_row);
  ++account_.found[kBad];
  ++account_.dropped[kBad];
  for (Diagnostic& problem : problems_.take_after(settled_problems_)) {
    if (account_.bad_rows.size() < kShownBadRows) account_.bad_rows.push_back(std::move(problem));
  }
  return true;
}

bool TraceBuilder::next_row(CsvReader& csv) {
  for (;;) {
    const CsvRow row = csv.next(problems_);
    if (row != CsvRow::bad) return row == CsvRow::row;
    settle_problems();
  }
}

std::optional<Treatment> TraceBuilder::admits(Finding finding, const Position& where,
                                              std::string_view id) {
  const auto at = static_cast<std::size_t>(finding);
  const Treatment treatment = options_.treatments[at];
  if (treatment == Treatment::stop) {
    throw InputError(
        {file_, where}, fmt::format("job '{}' is {}", id, finding_name(finding)),
        fmt::format("no such job, or another treatment of {} than stop", finding_name(finding)));
  }
  ++account_.found[at];
  if (treatment != Treatment::drop) return treatment;
  ++account_.dropped[at];
  ++account_.jobs_read;
  // What else is wrong with a job that is left out does not matter.
  (void)problems_.take_after(settled_problems_);
  return std::nullopt;
}

// What the fields of a job tell. False when it is dropped.
bool TraceBuilder::treat_own_findings(TraceJob& job) {
  const auto admitted = [&](Finding finding) { return admits(finding, job.position, job.id); };
  if (const auto finding = finding_of(job.status)) {
    const auto treatment = admitted(*finding);
    if (!treatment) return false;
    const bool ended = *treatment == Treatment::as_ended && *finding != Finding::unfinished;
    if (ended) job.status = JobStatus::completed;
  }
  if (job.gpus() == 0) {
    if (!admitted(Finding::zero_gpus)) return false;
    job.workers = job.gpus_per_worker = 1;
  }
  if (job.gpu_share < 1 && !admitted(Finding::fractional_gpus)) return false;
  if (job.duration_s < 0) {
    if (!admitted(Finding::negative_duration)) return false;
    job.duration_s = 0;
  }
  return true;
}

void TraceBuilder::saw_submission(double time_s) {
  earliest_ = any_ ? std::min(earliest_, time_s) : time_s;
  any_ = true;
  saw(time_s);
}

void TraceBuilder::add(TraceJob&& job, double idle_s) {
  if (settle_problems()) return;
  saw_submission(job.submit_s);
  if (job.status != JobStatus::unfinished && job.duration_known) {
    saw(job.start_s.value_or(job.submit_s) + job.duration_s);
  }
  if (!treat_own_findings(job)) return;
  ++account_.jobs_read;
  if (surely_outside_window(job.submit_s) || !wanted(options_.filter, job)) {
    ++account_.filtered;
    return;
  }
  keep(std::move(job), idle_s);
}

void TraceBuilder::keep(TraceJob&& job, double idle_s) {
  // To be added to once the trace's end is known.
  if (job.status == JobStatus::unfinished) job.duration_s = -idle_s;
  const bool is_limited = limited();
  Kept one{job.submit_s, order_of(job.position), static_cast<std::uint32_t>(jobs_.size())};
  if (!is_limited || jobs_.size() < options_.filter.limit) {
    reserve_ahead(jobs_);
    reserve_ahead(kept_);
    jobs_.push_back(std::move(job));
    kept_.push_back(one);
    if (is_limited) std::push_heap(kept_.begin(), kept_.end(), kEarlier);
    return;
  }
  ++account_.filtered;  // this one, or the latest of the others
  if (!kEarlier(one, kept_.front())) return;
  std::pop_heap(kept_.begin(), kept_.end(), kEarlier);
  one.at = kept_.back().at;
  jobs_[one.at] = std::move(job);
  kept_.back() = one;
  std::push_heap(kept_.begin(), kept_.end(), kEarlier);
}

// Where an id stands twice the second job of the file is a bad row. Sorted hashes find the few
// pairs to compare without a look-up for each job.
void TraceBuilder::refuse_duplicate_ids() {
  struct Hashed {
    std::size_t hash = 0;
    std::uint32_t at = 0;  // in kept_
    auto operator<=>(const Hashed&) const = default;
  };
  const auto in_file = [](const Kept& a, const Kept& b) { return a.order < b.order; };
  if (!std::is_sorted(kept_.begin(), kept_.end(), in_file)) {
    std::sort(kept_.begin(), kept_.end(), in_file);
  }
  std::vector<Hashed> ids;
  ids.reserve(kept_.size());
  for (std::uint32_t at = 0; at < kept_.size(); ++at) {
    ids.push_back({std::hash<std::string>{}(jobs_[kept_[at].at].id), at});
  }
  std::sort(ids.begin(), ids.end());
  std::map<std::uint32_t, std::uint32_t> first_of;  // of duplicates, in the file's order
  const auto id_of = [&](std::uint32_t at) -> const std::string& { return jobs_[kept_[at].at].id; };
  std::vector<std::uint32_t> different;  // of one hash: one, as a rule
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i == 0 || ids[i].hash != ids[i - 1].hash) different.clear();
    const auto same = std::find_if(different.begin(), different.end(), [&](std::uint32_t other) {
      return id_of(other) == id_of(ids[i].at);
    });
    if (same == different.end()) {
      different.push_back(ids[i].at);
    } else {
      first_of[ids[i].at] = *same;
    }
  }
  for (const auto& [at, first] : first_of) {
    const TraceJob& job = jobs_[kept_[at].at];
    kept_[at].dropped = true;
    problems_.add({file_, job.position},
                  fmt::format("job id '{}' was used on line {} already", job.id,
                              jobs_[kept_[first].at].position.line),
                  "each id once");
    settle_problems();
    if (options_.lenient) --account_.jobs_read;  // it was counted when it was added
  }
}

void TraceBuilder::end_unfinished(TraceJob& job) const {
  if (job.status != JobStatus::unfinished) return;
  const double since_start_s = latest_ - job.start_s.value_or(job.submit_s);
  job.duration_s = std::max(0.0, since_start_s + job.duration_s);
  job.duration_known = true;
  job.status = JobStatus::completed;
}

void TraceBuilder::set_default_duration(TraceJob& job) const {
  if (job.duration_known || options_.default_duration_s <= 0) return;
  job.duration_s = options_.default_duration_s;
  job.duration_known = true;
}

// Drops what the filter does not want of kept jobs, which are in order.
void TraceBuilder::drop_outside_window(double epoch_s) {
  const TraceFilter& filter = options_.filter;
  std::uint64_t wanted = 0;
  for (Kept& one : kept_) {
    if (one.dropped) continue;
    one.dropped =
        !in_window(filter, one.submit_s - epoch_s) || (filter.limit > 0 && wanted == filter.limit);
    ++(one.dropped ? account_.filtered : wanted);
  }
}

// Leaves in jobs_ what is kept after all, sorted.
void TraceBuilder::put_in_order() {
  std::stable_partition(kept_.begin(), kept_.end(), [](const Kept& one) { return !one.dropped; });
  std::vector<std::uint32_t> from;
  from.reserve(kept_.size());
  for (const Kept& one : kept_) from.push_back(one.at);
  if (!std::is_sorted(from.begin(), from.end())) permute(jobs_, std::move(from));
  while (!kept_.empty() && kept_.back().dropped) kept_.pop_back();
  jobs_.resize(kept_.size());
}

Trace TraceBuilder::finish(const TraceShape& shape) {
  if (shape.ids == JobIds::of_the_file) refuse_duplicate_ids();
  problems_.throw_if_any();
  Trace trace;
  trace.file = file_;
  trace.format = shape.format;
  if (times_ == TraceTimes::calendar) trace.epoch_s = earliest_;
  const double epoch_s = trace.epoch_s.value_or(0);
  if (!std::is_sorted(kept_.begin(), kept_.end(), kEarlier)) {
    std::sort(kept_.begin(), kept_.end(), kEarlier);
  }
  drop_outside_window(epoch_s);
  put_in_order();
  for (TraceJob& job : jobs_) {
    end_unfinished(job);
    set_default_duration(job);
    job.submit_s -= epoch_s;
    if (job.start_s) *job.start_s -= epoch_s;
    if (job.deadline_s) *job.deadline_s -= epoch_s;
    scale(options_.filter, job);
  }
  trace.jobs = std::move(jobs_);
  trace.account = std::move(account_);
  return trace;
}

std::string describe_account(const Trace& trace, const TraceOptions& options) {
  std::vector<std::string> parts;
  for (std::size_t finding = 0; finding < kFindings; ++finding) {
    const std::uint64_t found = trace.account.found[finding];
    if (found == 0) continue;
    const bool bad = static_cast<Finding>(finding) == Finding::bad_row;
    parts.push_back(fmt::format("{} {} ({})", found, finding_name(static_cast<Finding>(finding)),
                                bad ? "dropped" : treatment_name(options.treatments[finding])));
  }
  if (trace.account.filtered > 0) {
    parts.push_back(fmt::format("{} filtered out", trace.account.filtered));
  }
  return join(parts, ", ");
}

}  // namespace mosim
