// The cluster: what it is made of, and which of its GPUs are free.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {

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
  std::string virtual_cluster = {};    // whose jobs alone it serves; empty: everyone's
};

// A partition with its own queue.
struct VirtualCluster {
  std::string name;
  std::vector<std::string> jobs = {};  // names in the trace's field; empty: its own name
  std::uint32_t quota = 0;             // GPUs that its jobs may hold at once; 0: no limit
  std::string queue = {};              // queue discipline; empty: the scheduler's
};

struct ClusterSpec {
  std::vector<ServerGroup> groups;
  std::vector<VirtualCluster> virtual_clusters = {};  // none: one queue for all jobs

  [[nodiscard]] std::uint64_t servers() const;
  [[nodiscard]] std::uint64_t gpus() const;
  [[nodiscard]] std::vector<std::uint32_t> gpus_by_server() const;
};

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

// The same; throws InputError when the catalogue has none.
[[nodiscard]] const GpuSpec& known_gpu(std::string_view name);

// What one job asks for. A worker's GPUs and CPU cores come from one server.
struct ResourceRequest {
  std::uint32_t workers = 1;
  std::uint32_t gpus_per_worker = 1;
  std::uint32_t cpus_per_worker = 0;

  [[nodiscard]] std::uint64_t gpus() const { return std::uint64_t{workers} * gpus_per_worker; }
  friend auto operator<=>(const ResourceRequest&, const ResourceRequest&) = default;
};

// `workers` of a job on one server.
struct WorkerGroup {
  ServerId server{};
  std::uint32_t workers = 0;

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

// Free GPUs and CPU cores of every server. Allocating more than is free is a programming error and
// throws std::logic_error, before anything is changed.
class ClusterState {
 public:
  explicit ClusterState(const ClusterSpec& spec);

  [[nodiscard]] std::size_t servers() const { return free_gpus_.size(); }
  [[nodiscard]] std::uint64_t total_gpus() const { return total_gpus_; }
  [[nodiscard]] std::uint64_t total_free_gpus() const { return total_free_gpus_; }
  [[nodiscard]] std::uint32_t gpus(ServerId server) const { return gpus_[index(server)]; }
  [[nodiscard]] std::uint32_t free_gpus(ServerId server) const { return free_gpus_[index(server)]; }
  [[nodiscard]] std::uint32_t free_cpus(ServerId server) const { return free_cpus_[index(server)]; }
  [[nodiscard]] const FreeGpuIndex& by_free_gpus() const { return by_free_gpus_; }

  // How many more workers of `request` the server can take.
  [[nodiscard]] std::uint32_t capacity_for(ServerId server, const ResourceRequest& request) const {
    const std::uint32_t by_gpus = free_gpus_[index(server)] / request.gpus_per_worker;
    if (request.cpus_per_worker == 0) return by_gpus;
    const std::uint32_t by_cpus = free_cpus_[index(server)] / request.cpus_per_worker;
    return by_gpus < by_cpus ? by_gpus : by_cpus;
  }

  void allocate(std::span<const WorkerGroup> groups, const ResourceRequest& request);
  void release(std::span<const WorkerGroup> groups, const ResourceRequest& request);

 private:
  void change_free(ServerId server, std::uint32_t gpus, std::uint32_t cpus);

  std::vector<std::uint32_t> gpus_;
  std::vector<std::uint32_t> cpus_;
  std::vector<std::uint32_t> free_gpus_;
  std::vector<std::uint32_t> free_cpus_;
  std::uint64_t total_gpus_ = 0;
  std::uint64_t total_free_gpus_ = 0;
  FreeGpuIndex by_free_gpus_;
};

}  // namespace mosim
