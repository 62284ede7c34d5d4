// Why jobs waited: for GPUs to become free, or although enough of them were.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "metrics/step_integral.hpp"
#include "mosim/metrics.hpp"

namespace mosim {
namespace {

// Sums of times: less than this part of a wait is nothing.
constexpr double kRounding = 1e-9;

using Attempts = std::vector<const EarlierAttempt*>;

// By job, and of each job in their order.
Attempts by_job(const SimulationResult& result) {
  Attempts attempts;
  attempts.reserve(result.earlier_attempts.size());
  for (const EarlierAttempt& attempt : result.earlier_attempts) attempts.push_back(&attempt);
  std::stable_sort(
      attempts.begin(), attempts.end(),
      [](const EarlierAttempt* a, const EarlierAttempt* b) { return a->job < b->job; });
  return attempts;
}

std::span<const EarlierAttempt* const> of_job(const Attempts& attempts, JobIndex job) {
  const auto first = std::lower_bound(
      attempts.begin(), attempts.end(), job,
      [](const EarlierAttempt* attempt, JobIndex wanted) { return attempt->job < wanted; });
  auto last = first;
  while (last != attempts.end() && (*last)->job == job) ++last;
  return {first, last};
}

// The GPUs that are free for jobs of a home at each point of the timeline.
std::vector<std::uint64_t> free_for(const Run& run, const JobHome& home) {
  const SimulationResult& result = run.result;
  const std::vector<PoolId> pools = pools_for(run.cluster, result.pools, home);
  const std::size_t owners = std::max<std::size_t>(1, run.cluster.virtual_clusters.size());
  std::vector<std::uint64_t> free(result.timeline.size());
  for (std::size_t point = 0; point < free.size(); ++point) {
    for (const PoolId pool : pools) {
      free[point] += result.pool_free[point * result.pools.size() + index(pool)];
    }
    if (result.quota_left.empty()) continue;
    const std::uint64_t quota = result.quota_left[point * owners + index(home.virtual_cluster)];
    free[point] = std::min(free[point], quota);
  }
  return free;
}

// The time during which fewer than `gpus` were free.
StepIntegral time_short_of(const Run& run, std::span<const std::uint64_t> free,
                           std::uint64_t gpus) {
  StepIntegral is_short;
  for (std::size_t point = 0; point < free.size(); ++point) {
    is_short.change(run.result.timeline[point].time_s, free[point] < gpus ? 1 : 0);
  }
  return is_short;
}

void split(const Job& job, const JobResult& result, std::span<const EarlierAttempt* const> attempts,
           const StepIntegral& is_short, JobMeasures& measures) {
  const double first_wait_s = result.start_s - job.submit_s;
  double capacity_s = is_short.between(job.submit_s, result.start_s);
  double requeued_s = result.requeued_s;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    // Its last start is written nowhere: it is what makes up `requeued_s`.
    const double from_s = attempts[i]->end_s;
    const double wait_s =
        i + 1 < attempts.size() ? attempts[i + 1]->start_s - from_s : std::max(0.0, requeued_s);
    requeued_s -= wait_s;
    capacity_s += is_short.between(from_s, from_s + wait_s);
  }
  const double wait_s = first_wait_s + result.requeued_s;
  if (capacity_s < kRounding * wait_s) capacity_s = 0;
  if (wait_s - capacity_s < kRounding * wait_s) capacity_s = wait_s;
  measures.capacity_wait_s = capacity_s;
  measures.placement_wait_s = wait_s - capacity_s;
}

}  // namespace

// Jobs that ask for the same are looked at together: the cost is that of the distinct requests
// times the points of the timeline, and of a search for each wait.
void split_waits(const Run& run, std::span<JobMeasures> measures) {
  std::map<JobHome, std::map<std::uint64_t, std::vector<JobIndex>>> alike;
  for (std::uint32_t i = 0; i < run.jobs.size(); ++i) {
    const Job& job = run.jobs[i];
    const JobResult& result = run.result.jobs[i];
    if (result.start_s <= job.submit_s && result.requeued_s <= 0) continue;
    const JobHome home{job.virtual_cluster, job.request.gpu_type};
    alike[home][job.request.gpus()].push_back(JobIndex{i});
  }
  const Attempts attempts = by_job(run.result);
  for (const auto& [home, requests] : alike) {
    const std::vector<std::uint64_t> free = free_for(run, home);
    for (const auto& [gpus, jobs] : requests) {
      const StepIntegral is_short = time_short_of(run, free, gpus);
      for (const JobIndex job : jobs) {
        split(run.jobs[index(job)], run.result.jobs[index(job)], of_job(attempts, job), is_short,
              measures[index(job)]);
      }
    }
  }
}

}  // namespace mosim
