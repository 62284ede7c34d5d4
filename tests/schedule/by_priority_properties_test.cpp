// The driver decides as a walk over all jobs in the order of their ranks does.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "schedule/ends.hpp"

namespace mosim::test {
namespace {

using Key = std::function<double(const SchedulerView& view, JobIndex job)>;

// Takes all jobs, running ones first among equals, gives each its GPUs if they are left, and
// preempts those that get none. On one server.
class Walk : public Policy {
 public:
  explicit Walk(Key key) : key_(std::move(key)) {}

  void decide(Scheduler& scheduler) override {
    std::vector<std::tuple<double, bool, JobIndex>> jobs;
    std::uint64_t left = scheduler.cluster().total_gpus();
    for (const JobIndex job : scheduler.running()) {
      if (scheduler.may_preempt(job)) {
        jobs.emplace_back(key_(scheduler, job), false, job);
      } else {
        left -= scheduler.job(job).gpus();
        scheduler.wake_at(scheduler.preemptible_at_s(job));
      }
    }
    for (const JobIndex job : scheduler.waiting()) {
      jobs.emplace_back(key_(scheduler, job), true, job);
    }
    std::sort(jobs.begin(), jobs.end());
    std::vector<JobIndex> starting;
    for (const auto& [key, waits, job] : jobs) {
      const bool fits = scheduler.job(job).gpus() <= left;
      if (fits) left -= scheduler.job(job).gpus();
      if (fits && waits) starting.push_back(job);
      if (!fits && !waits) scheduler.preempt(job);
    }
    for (const JobIndex job : starting) {
      if (!scheduler.try_start(job)) throw std::logic_error("one server has no gaps");
    }
  }

 private:
  Key key_;
};

// Whole seconds, so that every time is exact.
std::vector<Job> random_jobs() {
  std::vector<Job> jobs;
  double submit_s = 0;
  for (int i = pick(1, 25); i > 0; --i) {
    submit_s += pick(0, 6);
    Job one = plain_job(submit_s, pick(1U, 9U), pick(0, 30));
    one.facts.priority = pick(0, 4);
    if (pick(0, 3) > 0) one.facts.deadline_s = submit_s + pick(1, 40);
    jobs.push_back(std::move(one));
  }
  return jobs;
}

void expect_as_walk(const std::string& queue, const Key& key) {
  const std::vector<Job> jobs = random_jobs();
  SimulationOptions options;
  options.preemption.restore_s = pick(0, 3);
  options.preemption.min_run_s = pick(0, 4);
  const auto placement = policies().make_placement("bin-packing");
  const SimulationResult ours =
      simulate(cluster(1, 8), jobs, policies().make_queue(queue), *placement, options);
  const SimulationResult theirs =
      simulate(cluster(1, 8), jobs, policy<Walk>(key), *placement, options);
  RC_ASSERT(ends_of(ours) == ends_of(theirs));
  RC_ASSERT(preemptions_of(ours) == preemptions_of(theirs));
}

double remaining(const SchedulerView& view, JobIndex job) { return view.remaining_s(job); }

RC_GTEST_PROP(ByPriority, DecidesAsAWalkOverAllJobs, ()) {
  expect_as_walk("srtf", remaining);
  expect_as_walk("srsf", [](const SchedulerView& view, JobIndex job) {
    return view.remaining_s(job) * static_cast<double>(view.job(job).gpus());
  });
  expect_as_walk("edf", [](const SchedulerView& view, JobIndex job) {
    return view.job(job).facts().deadline_s;
  });
  expect_as_walk("priority(preemptive=true)", [](const SchedulerView& view, JobIndex job) {
    return -view.job(job).facts().priority;
  });
}

RC_GTEST_PROP(ByPriority, EveryJobEndsOnAnyClusterAndPlacement, ()) {
  std::vector<Job> jobs = random_jobs();
  for (Job& one : jobs) one.request.workers = std::min(one.request.workers, 3U);
  const std::string placement = *rc::gen::element<std::string>("consolidate", "load-balancing");
  const std::string queue = *rc::gen::element<std::string>(
      "srtf", "srtf(quantum=7 s)", "las(thresholds=5 20)", "las(thresholds=5 20, promote=1)",
      "las(thresholds=5 20, demotion=tiresias)", "gittins(thresholds=10, delta=4)",
      "gittins(thresholds=10, delta=4, history=trace, quantum=2 s)", "edf");
  SimulationOptions options;
  options.preemption.restore_s = pick(0, 2);
  const SimulationResult result = run_on(cluster(3, 3), jobs, options, queue, placement);
  double work = 0;
  double service = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    work += jobs[i].iterations * jobs[i].request.workers;
    service += result.jobs[i].service - result.jobs[i].restart_s * jobs[i].request.workers;
  }
  RC_ASSERT(std::abs(work - service) < 1e-6);
}

}  // namespace
}  // namespace mosim::test
