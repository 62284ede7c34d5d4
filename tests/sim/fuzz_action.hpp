// An action of a fuzzed policy, and everything that a view shows.
#pragma once

#include <vector>

#include "mosim/schedule.hpp"

namespace mosim::test {

enum class FuzzKind : std::uint8_t { try_start, start, preempt, try_resume, migrate, resize, wake };

struct FuzzAction {
  FuzzKind kind{};
  JobIndex job{};
  std::vector<WorkerGroup> groups = {};
  std::uint32_t workers = 0;
  double at_s = 0;
};

// What the two that may fail give; true for the others.
inline bool carry_out(Scheduler& scheduler, const FuzzAction& action) {
  switch (action.kind) {
    case FuzzKind::try_start:
      return scheduler.try_start(action.job, action.workers);
    case FuzzKind::start:
      scheduler.start(action.job, action.groups);
      return true;
    case FuzzKind::preempt:
      scheduler.preempt(action.job);
      return true;
    case FuzzKind::try_resume:
      return scheduler.try_resume(action.job);
    case FuzzKind::migrate:
      scheduler.migrate(action.job, action.groups);
      return true;
    case FuzzKind::resize:
      scheduler.resize(action.job, action.groups);
      return true;
    case FuzzKind::wake:
      scheduler.wake_at(action.at_s);
      return true;
  }
  return false;
}

// Everything that the view shows, as numbers.
inline std::vector<double> snapshot(const SchedulerView& view, bool oracle) {
  std::vector<double> seen{view.now_s()};
  const auto add = [&](auto value) { seen.push_back(static_cast<double>(value)); };
  for (std::uint32_t i = 0; i < view.jobs(); ++i) {
    const JobIndex job{i};
    if (oracle) add(view.remaining_s(job));
    add(view.quota_left(job));
    add(view.fit_class(job));
    for (const WorkerGroup& group : view.groups_of(job)) {
      add(index(group.server));
      add(group.workers);
    }
  }
  for (const auto list : {view.waiting(), view.running()}) {
    add(list.size());
    for (const JobIndex id : list) {
      const JobView job = view.job(id);
      add(index(id));
      add(job.held_gpus());
      add(job.stage_s());
      add(job.served_s());
      add(job.attained_service());
      add(job.preemptions());
      if (job.stage() != JobStage::running) continue;
      add(view.contention_factor(id));
      add(view.preemptible_at_s(id));
    }
  }
  const ClusterState& cluster = view.cluster();
  for (std::uint32_t i = 0; i < cluster.servers(); ++i) {
    add(cluster.free_gpus(ServerId{i}));
    add(cluster.free_cpus(ServerId{i}));
    add(cluster.accepting(ServerId{i}));
  }
  for (std::uint32_t i = 0; i < cluster.pools(); ++i) {
    add(cluster.pool(PoolId{i}).total_free_gpus());
  }
  add(cluster.used_gpus());
  add(cluster.gpus_up());
  add(cluster.stranded_gpus());
  return seen;
}

}  // namespace mosim::test
