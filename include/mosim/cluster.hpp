// The cluster: what it is made of, and which of its GPUs are free.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {

enum class GpuTypeId : std::uint32_t {};         // position in ClusterSpec::gpu_types()
enum class VirtualClusterId : std::uint32_t {};  // position in ClusterSpec::virtual_clusters
enum class PoolId : std::uint32_t {};            // position in divide_into_pools()

inline constexpr GpuTypeId kAnyGpuType{0xffffffff};

// `count` servers that are alike.
struct ServerGroup {
  std::uint32_t count = 1;
  std::uint32_t gpus = 8;  // per server
  std::string gpu = "V100-SXM2-16GB";
  double nic = 625e6;        // bytes per second, each direction (5 Gbps)
  double latency_s = 25e-6;  // of a message between servers
  double intra = 0;          // bytes per second that a server's GPUs exchange in all; 0: no limit
  std::uint32_t cpus = 0;    // cores per server; 0: not limited
  std::uint32_t nics = 1;    // of that bandwidth, per server
  double memory = 0;         // bytes per server; 0: not limited
  std::uint32_t servers_per_rack = 0;  // 0: the group is one rack; groups share no rack
  std::string pod = {};                // that its racks are in; empty: FabricSpec::pod_racks says
  std::string virtual_cluster = {};    // whose jobs alone it serves; empty: everyone's
};

// A partition with its own queue.
struct VirtualCluster {
  std::string name;
  std::vector<std::string> jobs = {};  // names in the trace's field; empty: its own name
  std::uint32_t quota = 0;             // GPUs that its jobs may hold at once; 0: no limit
  std::string queue = {};              // queue discipline; empty: the scheduler's
};

// The network above the servers' NICs: racks, and pods of racks. A rack's switch has an uplink to
// each aggregation switch of its pod (without pods: to each spine), and each of those has uplinks
// to cores of its own. mosim/fabric.hpp has the links.
struct FabricSpec {
  std::uint32_t rack_uplinks = 0;    // of each rack; 0: racks do not limit
  double rack_oversubscription = 1;  // the NICs of a rack by all of its uplinks
  std::uint32_t pod_racks = 0;       // racks that follow each other are a pod; 0: all are
  std::uint32_t pod_uplinks = 0;     // of each aggregation switch; 0: pods do not limit
  double pod_oversubscription = 1;   // the uplinks of a pod's racks by all of its own
  std::uint64_t ecmp_seed = 1;

  friend bool operator==(const FabricSpec&, const FabricSpec&) = default;
};

// Servers are numbered from 0 in the order of their groups; racks, pods and GPU types likewise.
struct ClusterSpec {
  std::vector<ServerGroup> groups;
  std::vector<VirtualCluster> virtual_clusters = {};  // none: one queue for all jobs
  FabricSpec fabric = {};

  [[nodiscard]] std::uint64_t servers() const;
  [[nodiscard]] std::uint64_t gpus() const;
  [[nodiscard]] std::uint64_t racks() const;
  [[nodiscard]] std::vector<std::uint32_t> gpus_by_server() const;
  [[nodiscard]] std::vector<std::uint32_t> racks_by_server() const;
  // Whether there is more to pods than that all racks are one.
  [[nodiscard]] bool has_pods() const;
  [[nodiscard]] std::vector<std::uint32_t> pods_by_rack() const;
  // As the groups call them, or else their numbers.
  [[nodiscard]] std::vector<std::string> pod_names() const;
  // The names of the GPU types, each once, by `canonical_gpu`.
  [[nodiscard]] std::vector<std::string> gpu_types() const;
};

// Where a job belongs on the cluster.
struct JobHome {
  VirtualClusterId virtual_cluster{};  // the first where there are none
  GpuTypeId gpu_type = kAnyGpuType;    // on which alone it may run

  friend auto operator<=>(const JobHome&, const JobHome&) = default;
};

// Servers that a job may be placed on together: all of one GPU type (of any, when jobs may mix
// them) that serve the same jobs.
struct PoolSpec {
  GpuTypeId gpu_type = kAnyGpuType;
  std::string virtual_cluster;        // whose alone it is; empty: everyone's
  std::vector<std::uint32_t> groups;  // positions in ClusterSpec::groups
};

// The pools in the order of the groups. With `mix_gpu_types` those of any type come first; those of
// one type follow, for jobs that may run on that type only.
[[nodiscard]] std::vector<PoolSpec> divide_into_pools(const ClusterSpec& spec, bool mix_gpu_types);

// The pools that a job may use, in the order in which they are tried.
[[nodiscard]] std::vector<PoolId> pools_for(const ClusterSpec& spec,
                                            const std::vector<PoolSpec>& pools,
                                            const JobHome& home);

// Which part of a GPU's peak large operators of a class reach. Winograd convolutions are counted
// in the operations of the direct form, so theirs may exceed 1.
struct AchievedFractions {
  double convolution = 0;
  double winograd = 0;
  double linear = 0;
  double attention = 0;
};

// A GPU in one precision.
struct GpuSpeed {
  double peak = 0;  // operations per second, dense; 0: the GPU lacks the precision
  AchievedFractions achieved;
};

// What a GPU can do: the figures of its data sheet and what is reached of them, with their sources
// in data/gpus/.
struct GpuSpec {
  std::string name;
  std::vector<std::string> aliases;
  double memory = 0;            // bytes
  double memory_bandwidth = 0;  // bytes per second
  double achieved_memory = 0;   // of that bandwidth
  std::uint32_t multiprocessors = 0;
  double intra_bandwidth = 0;    // bytes per second to the GPUs of its server, each direction
  double intra_latency_s = 0;    // of a message to them
  double launch_overhead_s = 0;  // of a kernel
  std::array<GpuSpeed, kPrecisions> speeds;

  [[nodiscard]] const GpuSpeed& speed(Precision precision) const {
    return speeds[static_cast<std::size_t>(precision)];
  }
};

// The GPUs of data/gpus/, by name.
[[nodiscard]] const std::vector<GpuSpec>& gpu_catalogue();

// The GPU with this name or alias; nothing when there is none.
[[nodiscard]] const GpuSpec* find_gpu(std::string_view name);

// The catalogue's name of a GPU, or the name itself when the catalogue does not know it.
[[nodiscard]] std::string canonical_gpu(const std::string& name);

// `find_gpu`; throws InputError when the catalogue has none.
[[nodiscard]] const GpuSpec& known_gpu(std::string_view name);

inline constexpr std::uint32_t kGpuParts = 1000;  // a GPU is shared in thousandths

// What one job asks for. A worker's GPUs, CPU cores and memory come from one server.
struct ResourceRequest {
  std::uint32_t workers = 1;
  std::uint32_t gpus_per_worker = 1;
  std::uint32_t cpus_per_worker = 0;
  std::uint32_t memory_mb_per_worker = 0;  // 10^6 bytes
  GpuTypeId gpu_type = kAnyGpuType;        // of all of them: a placement is given such servers only
  // Thousandths of its GPU, at least 1. Below 1000 the job shares the GPU with others: only one
  // worker with one GPU may.
  std::uint32_t gpu_milli = kGpuParts;

  // GPUs that it has something of.
  [[nodiscard]] std::uint64_t gpus() const { return std::uint64_t{workers} * gpus_per_worker; }
  // What it has of them.
  [[nodiscard]] double gpu_share() const {
    return static_cast<double>(gpus()) * gpu_milli / kGpuParts;
  }
  [[nodiscard]] bool shares_gpu() const { return gpu_milli < kGpuParts; }
  friend auto operator<=>(const ResourceRequest&, const ResourceRequest&) = default;
};

inline constexpr std::uint32_t kWholeGpus = 0xffffffff;

// `workers` of a job on one server.
struct WorkerGroup {
  ServerId server{};
  std::uint32_t workers = 0;
  // Of a job that shares a GPU: which one of the server's, from 0. The GPUs of other jobs have no
  // number, so any that no shared GPU has may be given to the next that is shared.
  std::uint32_t gpu = kWholeGpus;

  friend bool operator==(const WorkerGroup&, const WorkerGroup&) = default;
};

// Servers ordered by how many GPUs they have free. For each number of free GPUs it keeps the set
// of servers as a bit set with a summary level, so that walking servers in the order (free GPUs,
// server) costs a few words a step, however many servers there are.
class FreeGpuIndex {
 public:
  FreeGpuIndex(std::size_t servers, std::uint32_t most_gpus);

  void insert(ServerId server, std::uint32_t free);
  void erase(ServerId server, std::uint32_t free);

  [[nodiscard]] std::uint32_t most_gpus() const { return most_gpus_; }

  // The first server at or after `from` with exactly `free` GPUs free; `kNone` if there is none.
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  [[nodiscard]] std::uint32_t first_at(std::uint32_t free, std::uint32_t from) const;

 private:
  struct Level {
    std::vector<std::uint64_t> words;    // bit s: server s is here
    std::vector<std::uint64_t> summary;  // bit w: words[w] is not zero
  };

  std::uint32_t most_gpus_;
  std::vector<Level> levels_;  // by number of free GPUs
};

class ClusterState;

// What a placement sees: the servers that the job may use together, and what is free of them now.
// Servers that take no jobs at present are not among them. A view: cheap to copy, valid as long as
// the cluster's state.
class ServerPool {
 public:
  // Free GPUs of the pool's servers.
  [[nodiscard]] std::uint64_t total_free_gpus() const;
  // What is free of the GPUs that are shared, in thousandths of a GPU.
  [[nodiscard]] std::uint64_t total_shared_room() const;
  // The pool's servers, ordered by how many GPUs they have free.
  [[nodiscard]] const FreeGpuIndex& by_free_gpus() const;
  [[nodiscard]] std::uint32_t free_gpus(ServerId server) const;
  // All GPUs and CPU cores of a server, free or not; 0 cores: not limited.
  [[nodiscard]] std::uint32_t gpus(ServerId server) const;
  [[nodiscard]] std::uint32_t cpus(ServerId server) const;
  [[nodiscard]] std::uint32_t free_cpus(ServerId server) const;
  // In the order of ClusterSpec. A rack's servers are all in the same pools.
  [[nodiscard]] std::uint32_t rack(ServerId server) const;
  // Whether the servers have the same number of GPUs each, and none limits CPU cores.
  [[nodiscard]] bool alike() const;
  // Of a server, as those of ClusterState.
  [[nodiscard]] std::uint32_t capacity_for(ServerId server, const ResourceRequest& request) const;
  [[nodiscard]] std::span<const std::uint32_t> gpu_rooms(ServerId server) const;
  [[nodiscard]] std::uint64_t shared_room(ServerId server) const;
  [[nodiscard]] std::uint32_t choose_gpu(ServerId server, const ResourceRequest& request) const;

 private:
  friend class ClusterState;
  struct Entry {
    FreeGpuIndex by_free_gpus;
    std::uint64_t total_free_gpus = 0;
    std::uint64_t total_shared_room = 0;
    bool alike = true;
  };
  ServerPool(const ClusterState& state, const Entry& entry) : state_(&state), entry_(&entry) {}

  const ClusterState* state_;
  const Entry* entry_;
};

// Free GPUs, CPU cores and memory of every server, and which servers take jobs. A GPU that jobs
// share is not free: it has room. Allocating more than is free is a programming error and throws
// std::logic_error, before anything is changed.
class ClusterState {
 public:
  explicit ClusterState(const ClusterSpec& spec, bool mix_gpu_types = false);

  [[nodiscard]] std::size_t servers() const { return gpus_.size(); }
  [[nodiscard]] std::size_t pools() const { return pools_.size(); }
  [[nodiscard]] ServerPool pool(PoolId pool) const { return {*this, pools_[index(pool)]}; }
  [[nodiscard]] std::uint64_t total_gpus() const { return total_gpus_; }
  // That a job has something of.
  [[nodiscard]] std::uint64_t used_gpus() const { return used_gpus_; }
  // What jobs really hold of them.
  [[nodiscard]] double used_gpu_share() const {
    return static_cast<double>(used_gpus_ - shared_gpus_) +
           static_cast<double>(shared_milli_) / kGpuParts;
  }
  // Free GPUs of servers of which another GPU is in use and that take jobs.
  [[nodiscard]] std::uint64_t stranded_gpus() const { return stranded_gpus_; }
  // Of servers that take jobs, and of servers that still run some.
  [[nodiscard]] std::uint64_t gpus_up() const { return gpus_up_; }
  [[nodiscard]] std::uint32_t gpus(ServerId server) const { return gpus_[index(server)]; }
  [[nodiscard]] std::uint32_t cpus(ServerId server) const {  // 0: not limited
    const std::uint32_t cpus = all_[index(server)].cpus;
    return cpus == kUnlimited ? 0 : cpus;
  }
  [[nodiscard]] std::uint32_t rack(ServerId server) const { return racks_[index(server)]; }
  [[nodiscard]] std::uint32_t free_gpus(ServerId server) const { return free_[index(server)].gpus; }
  [[nodiscard]] std::uint32_t free_cpus(ServerId server) const { return free_[index(server)].cpus; }
  [[nodiscard]] GpuTypeId gpu_type(ServerId server) const { return gpu_types_[index(server)]; }
  // Whether the server is one of the pool's, be it that it takes no jobs now.
  [[nodiscard]] bool in_pool(ServerId server, PoolId pool) const {
    const Membership& in = memberships_[index(server)];
    return in.pool == index(pool) || in.typed_pool == index(pool);
  }

  // How many more workers of `request` the server can take; of one that shares a GPU, how many
  // such jobs.
  [[nodiscard]] std::uint32_t capacity_for(ServerId server, const ResourceRequest& request) const {
    const Resources& free = free_[index(server)];
    std::uint32_t most = request.shares_gpu() ? shares_that_fit(server, request.gpu_milli)
                                              : free.gpus / request.gpus_per_worker;
    if (request.cpus_per_worker != 0) most = std::min(most, free.cpus / request.cpus_per_worker);
    if (request.memory_mb_per_worker != 0) {
      most = std::min(most, free.memory_mb / request.memory_mb_per_worker);
    }
    return most;
  }

  // The thousandths that are free of each of the server's GPUs, 1000 of one that is not shared;
  // empty when none is.
  [[nodiscard]] std::span<const std::uint32_t> gpu_rooms(ServerId server) const {
    return gpu_rooms_[index(server)];
  }
  // What is free of those that are shared, in thousandths.
  [[nodiscard]] std::uint64_t shared_room(ServerId server) const;
  // The best fit for a request that shares a GPU: the shared GPU with the least room that takes it,
  // else the first number for a free one; kWholeGpus when there is neither. Looks at GPUs alone.
  [[nodiscard]] std::uint32_t choose_gpu(ServerId server, const ResourceRequest& request) const;

  // Whether the server takes this group of the request now. One that shares a GPU names it.
  [[nodiscard]] bool takes(const WorkerGroup& group, const ResourceRequest& request) const;
  void allocate(std::span<const WorkerGroup> groups, const ResourceRequest& request);
  void release(std::span<const WorkerGroup> groups, const ResourceRequest& request);

  // Whether the server takes jobs; what runs on it stays. All do at first.
  void set_accepting(ServerId server, bool accepting);
  [[nodiscard]] bool accepting(ServerId server) const { return accepting_[index(server)] != 0; }

 private:
  struct Resources {
    std::uint32_t gpus = 0;
    std::uint32_t cpus = 0;
    std::uint32_t memory_mb = 0;
  };
  // The pools that a server is in: the second only where jobs may mix GPU types.
  struct Membership {
    std::uint32_t pool = 0;
    std::uint32_t typed_pool = kNoPool;
  };
  static constexpr std::uint32_t kNoPool = 0xffffffff;
  static constexpr std::uint32_t kUnlimited = 0xffffffff;

  [[nodiscard]] std::uint32_t shares_that_fit(ServerId server, std::uint32_t milli) const;
  [[nodiscard]] bool holds_share(const WorkerGroup& group, std::uint32_t milli) const;
  void take_share(const WorkerGroup& group, std::uint32_t milli, Resources& free);
  void give_share(const WorkerGroup& group, std::uint32_t milli, Resources& free);
  void change_room(ServerId server, std::uint32_t gpu, std::uint32_t room);
  [[nodiscard]] std::uint32_t stranded(ServerId server) const {
    const std::uint32_t free = free_gpus(server);
    return free < gpus(server) ? free : 0;
  }
  void change_free(ServerId server, const Resources& free);
  void enter_pools(ServerId server);
  void leave_pools(ServerId server);

  std::vector<std::uint32_t> gpus_;  // by server, as all below
  std::vector<Resources> free_;
  std::vector<Resources> all_;  // but for GPUs that are shared
  std::vector<GpuTypeId> gpu_types_;
  std::vector<std::uint32_t> racks_;
  std::vector<Membership> memberships_;
  std::vector<std::uint8_t> accepting_;
  std::vector<std::vector<std::uint32_t>> gpu_rooms_;
  std::vector<ServerPool::Entry> pools_;
  std::uint64_t total_gpus_ = 0;
  std::uint64_t used_gpus_ = 0;
  std::uint64_t gpus_up_ = 0;
  std::uint64_t stranded_gpus_ = 0;
  std::uint64_t shared_gpus_ = 0;
  std::uint64_t shared_milli_ = 0;  // held of them
};

inline std::uint64_t ServerPool::total_free_gpus() const { return entry_->total_free_gpus; }

inline std::uint64_t ServerPool::total_shared_room() const { return entry_->total_shared_room; }

inline const FreeGpuIndex& ServerPool::by_free_gpus() const { return entry_->by_free_gpus; }

inline std::uint32_t ServerPool::free_gpus(ServerId server) const {
  return state_->free_gpus(server);
}

inline std::uint32_t ServerPool::gpus(ServerId server) const { return state_->gpus(server); }

inline std::uint32_t ServerPool::cpus(ServerId server) const { return state_->cpus(server); }

inline std::uint32_t ServerPool::free_cpus(ServerId server) const {
  return state_->free_cpus(server);
}

inline std::uint32_t ServerPool::rack(ServerId server) const { return state_->rack(server); }

inline bool ServerPool::alike() const { return entry_->alike; }

inline std::uint32_t ServerPool::capacity_for(ServerId server,
                                              const ResourceRequest& request) const {
  return state_->capacity_for(server, request);
}

inline std::span<const std::uint32_t> ServerPool::gpu_rooms(ServerId server) const {
  return state_->gpu_rooms(server);
}

inline std::uint64_t ServerPool::shared_room(ServerId server) const {
  return state_->shared_room(server);
}

inline std::uint32_t ServerPool::choose_gpu(ServerId server, const ResourceRequest& request) const {
  return state_->choose_gpu(server, request);
}

}  // namespace mosim
