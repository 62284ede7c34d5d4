// Discretized two-dimensional least attained service: Gu et al., Tiresias, NSDI 2019.
#pragma once

#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "schedule/by_priority.hpp"

namespace mosim {

struct LasRules {
  std::vector<double> limits;  // attained service at which a job leaves each queue but the last
  double promote = 0;        // times what it ran that a job waits before it goes to the top; 0: no
  bool demote_late = false;  // as the artifact of Tiresias does
};

// Queues by attained service since the start, or since the last promotion. In a queue jobs that run
// go first, in the order in which they were started, then those that wait. A job that is preempted
// waits in front of those, one that enters the queue behind them: also one that is demoted while it
// runs, for the decision at which it is.
//
// The artifact demotes at events only, by one queue at most, and lets the next be due
// ceil((limit - time run) / GPUs) from now: too late for jobs of several GPUs.
class LasOrder : public Order {
 public:
  explicit LasOrder(LasRules rules) : rules_(std::move(rules)) {}

  [[nodiscard]] Rank rank(const SchedulerView& view, JobIndex job) override;
  void started(const SchedulerView& view, JobIndex job) override;
  void stopped(const SchedulerView& view, JobIndex job) override;
  void ended(const SchedulerView& view, JobIndex job) override;
  void advance(const SchedulerView& view, std::vector<JobIndex>& changed) override;
  [[nodiscard]] double next_change_s(const SchedulerView& view) override;

 protected:
  // Attained service since the last promotion.
  [[nodiscard]] double service(const JobView& job) const;

 private:
  struct Standing {
    std::uint32_t queue = 0;
    std::int64_t order = 0;  // in its queue; 0: not seen yet
    double service = 0;      // at its last promotion, as the next
    double served_s = 0;
    double change_s = std::numeric_limits<double>::infinity();  // next demotion or promotion
  };
  using Changes = std::set<std::pair<double, JobIndex>>;

  void move(const SchedulerView& view, JobIndex job, std::uint32_t queue);
  void plan(Changes& changes, JobIndex job, double at_s);
  void cancel(JobIndex job);
  void plan_demotion(const SchedulerView& view, JobIndex job);
  void put_in_front(JobIndex job);
  void demote_due(const SchedulerView& view, std::vector<JobIndex>& changed);
  void promote_due(const SchedulerView& view, std::vector<JobIndex>& changed);
  [[nodiscard]] double next_demotion_s(const SchedulerView& view) const;
  [[nodiscard]] double late_demotion_s(const SchedulerView& view) const;

  LasRules rules_;
  std::vector<Standing> standings_;  // by job
  Changes demotions_;                // of running jobs
  Changes promotions_;               // of waiting ones
  std::vector<JobIndex> demoted_;    // at the last decision
  // So far: each gives the next place in a queue.
  std::int64_t entries_ = 0;
  std::int64_t starts_ = 0;
  std::int64_t stops_ = 0;
  // Of late demotions: when the next are due, and whether jobs came or went, which is as good.
  double look_s_ = std::numeric_limits<double>::infinity();
  bool event_ = false;
};

}  // namespace mosim
