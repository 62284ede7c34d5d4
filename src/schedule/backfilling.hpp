// Backfilling: jobs behind the head of the queue start early where users' estimates say that they
// do not delay those before them. By numbers of GPUs: that the free ones may lie too scattered for
// a job is not foreseen.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "mosim/registry.hpp"

namespace mosim {

void add_backfilling(PolicyRegistry& registry);

// The jobs that run, in the order in which they are expected to end.
class ExpectedEnds {
 public:
  using End = std::pair<double, JobIndex>;

  // The job was started now.
  void add(const SchedulerView& view, JobIndex job);
  // It ended, or was stopped.
  void remove(JobIndex job);

  [[nodiscard]] const std::set<End>& in_order() const { return ends_; }

 private:
  std::set<End> ends_;
  std::vector<double> end_s_;  // by job
};

// Waiting jobs of one fit class, in the order of submission.
class WaitingClass {
 public:
  struct Entry {
    JobIndex job{};
    double estimate_s = 0;
  };

  void insert(const Entry& entry);
  void erase(std::size_t position);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] JobIndex front() const { return entries_.front().job; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  // The shortest estimate, or one that is shorter still.
  [[nodiscard]] double shortest_s() const { return shortest_s_; }

 private:
  std::vector<Entry> entries_;
  double shortest_s_ = std::numeric_limits<double>::infinity();
};

// EASY: only the head of the queue has a reservation, at the time when enough GPUs are expected to
// be free. A job behind starts if it fits now and either ends before then or takes GPUs that the
// head leaves over. Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001.
class Easy : public Policy {
 public:
  void on_submit(const SchedulerView& view, JobIndex job) override;
  void on_requeue(const SchedulerView& view, JobIndex job) override;
  void on_end(const SchedulerView& view, JobIndex job) override;
  void decide(Scheduler& scheduler) override;

 private:
  // When and where the head will start, and how many GPUs are then left over.
  struct Reservation {
    double at_s = std::numeric_limits<double>::infinity();
    PoolId pool{};
    std::uint64_t extra = 0;        // in the pool
    std::uint64_t extra_quota = 0;  // of the virtual cluster
  };
  struct Candidate {
    JobIndex job{};
    std::uint32_t fit_class = 0;
    std::size_t position = 0;
  };

  WaitingClass* first();
  [[nodiscard]] Reservation reserve(const SchedulerView& view, JobIndex head) const;
  [[nodiscard]] Reservation reserve_in(const SchedulerView& view, JobIndex head, PoolId pool) const;
  void backfill(Scheduler& scheduler, JobIndex head);
  void push_next(const SchedulerView& view, const Reservation& reservation, Candidate from);
  bool try_backfill(Scheduler& scheduler, Reservation& reservation, JobIndex job, bool outlasts);

  std::vector<WaitingClass> waiting_;  // by fit class
  ExpectedEnds running_;
  std::vector<Candidate> candidates_;  // of the current visit: a heap, earliest first
  std::vector<WorkerGroup> place_;
};

// How many GPUs are free when, as far as is foreseen.
class FreeOverTime {
 public:
  FreeOverTime(double now_s, std::int64_t free) : steps_{{now_s, free}} {}

  // From `at_s` on, not before the last call's, `gpus` more are free.
  void add(double at_s, std::int64_t gpus);
  // The first time from `from_s` on at which `gpus` are free for `duration_s`; infinite if never.
  [[nodiscard]] double earliest(std::int64_t gpus, double duration_s, double from_s) const;
  // `gpus` are taken from `from_s` until `to_s`.
  void take(double from_s, double to_s, std::int64_t gpus);
  [[nodiscard]] std::int64_t free_now() const { return steps_.front().free; }

 private:
  struct Step {
    double at_s = 0;
    std::int64_t free = 0;
  };
  std::size_t split(double at_s);

  std::vector<Step> steps_;
};

// Conservative backfilling: every waiting job has a reservation, and a job starts early only where
// it delays none of those before it. The plan is made anew at each decision, in the order of
// submission. Mu'alem and Feitelson, IEEE TPDS 12(6), 2001.
class Conservative : public Policy {
 public:
  explicit Conservative(std::size_t depth) : depth_(depth) {}

  void on_requeue(const SchedulerView& view, JobIndex job) override;
  void on_end(const SchedulerView& view, JobIndex job) override;
  void decide(Scheduler& scheduler) override;

 private:
  // What is free in each pool, and of the virtual cluster's quota.
  struct Plan {
    std::vector<FreeOverTime> pools;
    FreeOverTime quota;

    [[nodiscard]] double earliest(PoolId pool, std::int64_t gpus, double duration_s) const;
    void take(PoolId pool, double from_s, double duration_s, std::int64_t gpus);
  };

  [[nodiscard]] Plan plan(const SchedulerView& view, JobIndex first) const;
  bool try_start(Scheduler& scheduler, const Plan& plan, JobIndex job);

  std::size_t depth_;
  ExpectedEnds running_;
  std::vector<WorkerGroup> place_;
};

}  // namespace mosim
