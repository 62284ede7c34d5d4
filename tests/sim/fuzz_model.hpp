// What a test believes of a run from the actions alone: which jobs run where, and so which actions
// are right. It shares no code with the engine.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mosim/sim.hpp"

namespace mosim::test {

struct FuzzCase {
  ClusterSpec cluster;
  std::vector<Job> jobs;
  SimulationOptions options;
  std::string placement;
  bool one_policy = true;  // or one for each virtual cluster
  bool oracle = true;
};

// Which numbers of workers a job has a profile on, beside what it asks for.
inline bool has_scaled_profile(JobIndex job, GpuTypeId type, std::uint32_t workers) {
  return workers > 0 && workers <= 64 && (index(job) + index(type) + workers) % 4 != 0;
}

// An iteration on `workers` takes as much longer as it does more samples, so that what a job needs
// for all of them does not depend on its workers.
inline ScaledProfile scaled_profile_of(const std::vector<Job>& jobs) {
  return [jobs](JobIndex job, GpuTypeId type, std::uint32_t workers) -> std::optional<JobProfile> {
    if (!has_scaled_profile(job, type, workers)) return std::nullopt;
    JobProfile profile = jobs[index(job)].profile_on(type);
    const double scale = static_cast<double>(workers) / jobs[index(job)].request.workers;
    profile.compute_s *= scale;
    profile.network_s *= scale;
    profile.volume *= scale;
    return profile;
  };
}

inline std::uint64_t workers_in(std::span<const WorkerGroup> groups) {
  std::uint64_t workers = 0;
  for (const WorkerGroup& group : groups) workers += group.workers;
  return workers;
}

class FuzzModel {
 public:
  struct Kept {
    JobStage stage = JobStage::coming;
    bool released = false;            // preempted in this decision
    std::vector<WorkerGroup> groups;  // it has, or had last
    double first_start_s = 0;
    double attempt_s = 0;  // when it got its GPUs
    double served_s = 0;   // before
    double service = 0;
    double end_s = 0;
    std::uint32_t attempts = 0;
    std::uint32_t preemptions = 0;
    std::uint32_t moves = 0;
    std::uint32_t restarts = 0;
    bool resized = false;
  };

  explicit FuzzModel(const FuzzCase& one) : case_(&one), kept_(one.jobs.size()) {
    const std::vector<std::string> types = one.cluster.gpu_types();
    for (const ServerGroup& group : one.cluster.groups) {
      servers_.insert(servers_.end(), group.count, group);
      const auto type = std::ranges::find(types, canonical_gpu(group.gpu)) - types.begin();
      types_.insert(types_.end(), group.count, GpuTypeId{static_cast<std::uint32_t>(type)});
    }
    accepting_.assign(servers_.size(), true);
  }

  [[nodiscard]] const Kept& kept(JobIndex job) const { return kept_[index(job)]; }
  [[nodiscard]] std::size_t servers() const { return servers_.size(); }
  [[nodiscard]] const ServerGroup& server(std::size_t at) const { return servers_[at]; }
  [[nodiscard]] bool exists(JobIndex job) const { return index(job) < kept_.size(); }
  [[nodiscard]] bool is(JobIndex job, JobStage stage) const {
    return exists(job) && kept(job).stage == stage;
  }
  [[nodiscard]] bool belongs(JobIndex job, std::size_t seat) const {
    return exists(job) && (case_->one_policy || index(asked(job).virtual_cluster) == seat);
  }
  [[nodiscard]] bool has_run_enough(JobIndex job, double now_s) const {
    return kept(job).attempt_s + case_->options.preemption.min_run_s <= now_s;
  }
  // Which servers take jobs is the one thing that is not known from the actions.
  void set_accepting(std::size_t server, bool accepting) { accepting_[server] = accepting; }

  // GPUs (or what `part` gives of a request) of a server that jobs other than `but` hold.
  template <typename Part>
  [[nodiscard]] std::uint64_t held(std::size_t server, std::optional<JobIndex> but,
                                   Part&& part) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const JobIndex job{static_cast<std::uint32_t>(i)};
      if (kept_[i].stage != JobStage::running || job == but) continue;
      for (const WorkerGroup& group : kept_[i].groups) {
        if (index(group.server) == server) sum += group.workers * part(asked(job).request);
      }
    }
    return sum;
  }

  // How many workers of the job there is room for, were the job itself not there.
  [[nodiscard]] std::uint64_t room(std::size_t at, JobIndex job) const {
    const ServerGroup& server = servers_[at];
    const auto room_of = [&](std::uint64_t all, auto part) -> std::uint64_t {
      const std::uint64_t each = part(asked(job).request);
      return each == 0 ? ~std::uint64_t{0} : (all - held(at, job, part)) / each;
    };
    std::uint64_t most = room_of(server.gpus, [](const ResourceRequest& request) {
      return std::uint64_t{request.gpus_per_worker};
    });
    if (server.cpus > 0) {
      most = std::min(most, room_of(server.cpus, [](const ResourceRequest& request) {
                        return std::uint64_t{request.cpus_per_worker};
                      }));
    }
    if (server.memory > 0) {
      const auto all = static_cast<std::uint64_t>(server.memory / 1e6);
      most = std::min(most, room_of(all, [](const ResourceRequest& request) {
                        return std::uint64_t{request.memory_mb_per_worker};
                      }));
    }
    return most;
  }

  [[nodiscard]] std::uint64_t quota_left(JobIndex job, std::optional<JobIndex> but) const {
    const auto& parts = case_->cluster.virtual_clusters;
    const VirtualClusterId part = asked(job).virtual_cluster;
    if (parts.empty() || parts[index(part)].quota == 0) return ~std::uint64_t{0};
    std::uint64_t left = parts[index(part)].quota;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const JobIndex other{static_cast<std::uint32_t>(i)};
      if (kept_[i].stage != JobStage::running || other == but) continue;
      if (asked(other).virtual_cluster != part) continue;
      left -= workers_in(kept_[i].groups) * asked(other).request.gpus_per_worker;
    }
    return left;
  }

  // Whether the job may use the server, whatever is free.
  [[nodiscard]] bool serves(std::size_t at, JobIndex job) const {
    const std::string& owner = servers_[at].virtual_cluster;
    const GpuTypeId type = asked(job).request.gpu_type;
    if (type != kAnyGpuType && type != types_[at]) return false;
    return owner.empty() ||
           case_->cluster.virtual_clusters[index(asked(job).virtual_cluster)].name == owner;
  }
  // Whether one job may use both.
  [[nodiscard]] bool together(std::size_t a, std::size_t b) const {
    return servers_[a].virtual_cluster == servers_[b].virtual_cluster &&
           (case_->options.mix_gpu_types || types_[a] == types_[b]);
  }
  [[nodiscard]] bool takes_jobs(std::size_t at) const { return accepting_[at]; }

  [[nodiscard]] bool has_profile(JobIndex job, GpuTypeId type, std::uint64_t workers) const {
    return workers == asked(job).request.workers ||
           (workers <= 64 && has_scaled_profile(job, type, static_cast<std::uint32_t>(workers)));
  }
  // On every type that it may get.
  [[nodiscard]] bool may_resize(JobIndex job, std::uint32_t workers) const {
    const bool any = case_->options.mix_gpu_types && asked(job).request.gpu_type == kAnyGpuType;
    for (std::size_t at = 0; at < servers_.size(); ++at) {
      if ((any || serves(at, job)) && !has_profile(job, types_[at], workers)) return false;
    }
    return true;
  }

  // Whether the job can have these GPUs, were it not running.
  [[nodiscard]] bool fits(JobIndex job, std::span<const WorkerGroup> groups) const {
    if (groups.empty()) return false;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::size_t at = index(groups[i].server);
      if (at >= servers_.size() || groups[i].workers == 0 || groups[i].gpu != kWholeGpus ||
          !accepting_[at] || !serves(at, job) || groups[i].workers > room(at, job) ||
          !together(at, index(groups.front().server)) ||
          !has_profile(job, types_[at], workers_in(groups))) {
        return false;
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (groups[j].server == groups[i].server) return false;
      }
    }
    return workers_in(groups) * asked(job).request.gpus_per_worker <= quota_left(job, job);
  }

  // Whether some servers have room for so many workers.
  [[nodiscard]] bool is_room_for(JobIndex job, std::uint64_t workers) const {
    if (workers * asked(job).request.gpus_per_worker > quota_left(job, job)) return false;
    for (std::size_t first = 0; first < servers_.size(); ++first) {
      std::uint64_t sum = 0;
      for (std::size_t at = 0; at < servers_.size(); ++at) {
        if (accepting_[at] && serves(at, job) && together(first, at)) sum += room(at, job);
      }
      if (sum >= workers) return true;
    }
    return false;
  }

  void submitted(JobIndex job) { kept_[index(job)].stage = JobStage::waiting; }
  void started(JobIndex job, std::span<const WorkerGroup> groups, double now_s) {
    Kept& one = kept_[index(job)];
    if (one.released && std::ranges::equal(groups, one.groups)) return resumed(job);
    if (one.released) {
      ++one.moves;
      book(job, now_s);
    }
    one.stage = JobStage::running;
    one.groups.assign(groups.begin(), groups.end());
    one.resized = one.resized || workers_in(groups) != asked(job).request.workers;
    one.attempt_s = now_s;
    if (one.attempts++ == 0) one.first_start_s = now_s;
  }
  void preempted(JobIndex job) {
    kept_[index(job)].stage = JobStage::waiting;
    kept_[index(job)].released = true;
  }
  void resumed(JobIndex job) {
    kept_[index(job)].stage = JobStage::running;
    kept_[index(job)].released = false;
  }
  void moved(JobIndex job, std::span<const WorkerGroup> groups, double now_s) {
    if (std::ranges::equal(groups, kept(job).groups)) return;
    preempted(job);
    started(job, groups, now_s);
  }
  // A server under it failed.
  void failed(JobIndex job, double now_s) {
    ++kept_[index(job)].restarts;
    book(job, now_s);
  }
  void ended(JobIndex job, double now_s) {
    book(job, now_s);
    kept_[index(job)].stage = JobStage::done;
    kept_[index(job)].end_s = now_s;
  }
  void decided(double now_s) {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (!kept_[i].released) continue;
      ++kept_[i].preemptions;
      book(JobIndex{static_cast<std::uint32_t>(i)}, now_s);
    }
  }

  [[nodiscard]] double served_s(JobIndex job, double now_s) const {
    return kept(job).served_s + on_gpus_s(job, now_s);
  }
  [[nodiscard]] double service(JobIndex job, double now_s) const {
    return kept(job).service + on_gpus_s(job, now_s) * gpus_of(job);
  }

 private:
  [[nodiscard]] const Job& asked(JobIndex job) const { return case_->jobs[index(job)]; }
  [[nodiscard]] double gpus_of(JobIndex job) const {
    return static_cast<double>(workers_in(kept(job).groups) * asked(job).request.gpus_per_worker);
  }
  [[nodiscard]] double on_gpus_s(JobIndex job, double now_s) const {
    const bool on = kept(job).stage == JobStage::running || kept(job).released;
    return on ? now_s - kept(job).attempt_s : 0;
  }
  void book(JobIndex job, double now_s) {
    Kept& one = kept_[index(job)];
    one.service = service(job, now_s);
    one.served_s = served_s(job, now_s);
    one.stage = JobStage::waiting;
    one.released = false;
  }

  const FuzzCase* case_;
  std::vector<Kept> kept_;
  std::vector<ServerGroup> servers_;  // one each
  std::vector<GpuTypeId> types_;
  std::vector<bool> accepting_;
};

}  // namespace mosim::test
