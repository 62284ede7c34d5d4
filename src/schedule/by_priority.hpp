// The driver of the policies that serve jobs in the order of a rank, with or without preemption.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "mosim/policy.hpp"

namespace mosim {

// Where a job stands in the order in which jobs are served: smallest first.
struct Rank {
  double level = 0;        // its queue
  double key = 0;          // within it
  std::int64_t order = 0;  // of those with the same key

  friend auto operator<=>(const Rank&, const Rank&) = default;
};

// `Rank::order` of most policies: running jobs go first, then by submission.
[[nodiscard]] std::int64_t by_submission(const JobView& job);

// Gives every job its rank, and is told what becomes of jobs.
class Order {
 public:
  virtual ~Order() = default;

  [[nodiscard]] virtual Rank rank(const SchedulerView& view, JobIndex job) = 0;
  // A job that waits was started; one that ran waits again; one is done.
  virtual void started(const SchedulerView& view, JobIndex job) { (void)view, (void)job; }
  virtual void stopped(const SchedulerView& view, JobIndex job) { (void)view, (void)job; }
  virtual void ended(const SchedulerView& view, JobIndex job) { (void)view, (void)job; }
  // Before a decision: adds the jobs whose rank is another one now. A rank of a running job that
  // only got better need not be told.
  virtual void advance(const SchedulerView& view, std::vector<JobIndex>& changed) {
    (void)view, (void)changed;
  }
  // When a decision is due because time alone changes ranks.
  [[nodiscard]] virtual double next_change_s(const SchedulerView& view) {
    (void)view;
    return std::numeric_limits<double>::infinity();
  }
  // Whether running jobs may get worse at any time, untold.
  [[nodiscard]] virtual bool drifts() const { return false; }
};

struct PreemptionRule {
  bool allowed = false;
  double quantum_s = 0;  // only at its multiples; 0: at any event
};

// Walks all jobs by rank and gives each the GPUs that it asks for, if they are not taken by better
// ones; what does not fit is skipped. Without preemption those that run stay.
//
// Of the waiting jobs that fit or do not fit together only the first is tried, and running jobs are
// looked at from the worst on, so that a decision costs the classes and what it changes, not the
// number of jobs.
class ByPriority : public Policy {
 public:
  ByPriority(std::unique_ptr<Order> order, const PreemptionRule& rule)
      : order_(std::move(order)), rule_(rule) {}

  void on_submit(const SchedulerView& view, JobIndex job) override;
  void on_requeue(const SchedulerView& view, JobIndex job) override;
  void on_end(const SchedulerView& view, JobIndex job) override;
  void decide(Scheduler& scheduler) override;

 private:
  enum class Place : std::uint8_t { none, waiting, running, displaced };
  struct Standing {
    Rank rank;
    Place place = Place::none;
  };
  struct Entry {
    Rank rank;
    JobIndex job{};

    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  using WorstFirst = std::set<Entry, std::greater<>>;

  void wait(const SchedulerView& view, JobIndex job);
  void run(const SchedulerView& view, JobIndex job);
  void remove(const SchedulerView& view, JobIndex job);
  void rank_again(const SchedulerView& view, JobIndex job);
  void push(const Entry& candidate);
  void push_head(std::uint32_t fit_class);
  void visit(Scheduler& scheduler);
  [[nodiscard]] bool serve(Scheduler& scheduler, const Entry& candidate, bool may_start);
  [[nodiscard]] bool make_room(Scheduler& scheduler, const Entry& candidate);
  void settle_victims(Scheduler& scheduler);
  [[nodiscard]] bool is_current(const SchedulerView& view, WorstFirst::iterator& entry);
  void rank_running_again(const SchedulerView& view);
  [[nodiscard]] bool preempts_at(double now_s) const;
  void ask_to_be_woken(Scheduler& scheduler);

  std::unique_ptr<Order> order_;
  PreemptionRule rule_;
  std::vector<Standing> standings_;       // by job
  std::vector<std::set<Entry>> waiting_;  // by fit class
  WorstFirst running_;                    // ranks may be too bad, never too good
  std::vector<JobIndex> returned_;        // were preempted in the last decision and wait
  // Of the decision under way.
  bool preempting_ = false;
  double retry_s_ = 0;  // when a job that had to be left alone may be preempted
  bool ranked_running_ = false;
  std::vector<Entry> candidates_;  // a heap, best first
  std::vector<std::uint8_t> out_;  // by fit class: nobody of it fits
  std::vector<Entry> victims_;     // worst first
  std::vector<JobIndex> changed_;
};

}  // namespace mosim
