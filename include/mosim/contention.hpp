// Contention: from where jobs run and what they send to how much each is slowed down.
//
// Source: Yoo et al., "Accurate Simulation of Distributed Training Jobs with Network Contention
// Modeling", IEEE MASCOTS 2026, Eq. 6-10. The maths in full: docs/model.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/cluster.hpp"

namespace mosim {

// What a contention model needs to know of a job that was given its GPUs.
struct JobTraffic {
  std::span<const WorkerGroup> groups;
  std::uint32_t workers = 0;  // N_W, the sum over the groups
  double demand = 0;          // D, bytes per second on each NIC that its ring crosses
  // On the NIC of each group's server, where that is not D for all; empty otherwise.
  std::span<const double> nic_demands = {};
  std::uint64_t flow_key = 0;  // tells its flows apart where ECMP chooses their ways
  // What max-min sharing goes by where jobs meet: shares grow with the weight, and jobs of a lower
  // number are served before those of a higher one.
  double weight = 1;
  std::uint32_t priority = 0;
};

// Keeps the contention factor S of every job on the cluster. The four calls follow a job's life;
// each returns the jobs whose factor it changed (valid until the next call). Cost grows with the
// jobs that are affected, not with the cluster.
class ContentionModel {
 public:
  virtual ~ContentionModel() = default;

  // The job holds its servers from now on; it sends nothing yet.
  virtual std::span<const JobIndex> place(JobIndex job, const JobTraffic& traffic) = 0;
  // The job begins or ends a time in which it demands bandwidth.
  virtual std::span<const JobIndex> start_sending(JobIndex job) = 0;
  virtual std::span<const JobIndex> stop_sending(JobIndex job) = 0;
  // The job leaves its servers; it has stopped sending.
  virtual std::span<const JobIndex> remove(JobIndex job) = 0;

  // S >= 1: by how much the job's networking time is stretched now.
  [[nodiscard]] virtual double factor(JobIndex job) const = 0;

  // By how much the factors of all jobs would rise in sum if a job with this traffic came and all
  // that are placed sent at once; its own rises from 1. Changes nothing.
  [[nodiscard]] virtual double added_slowdown(const JobTraffic& traffic) const = 0;

  // What the jobs that are placed would demand of the server's NIC, were all to send at once, over
  // what it can carry; 0 in models that know no NICs.
  [[nodiscard]] virtual double nic_load(ServerId server) const {
    (void)server;
    return 0;
  }

  // The placed jobs whose factors may depend on when this one sends, itself among them, in order:
  // those that it could slow or be slowed by, directly or through others. Valid until the next
  // call. Only of a job that `sends`.
  [[nodiscard]] virtual std::span<const JobIndex> component(JobIndex job) const {
    (void)job;
    return {};
  }

  // Whether the time at which a placed job sends matters to it or to others. When not, its phases
  // need not be simulated one by one.
  [[nodiscard]] virtual bool sends(JobIndex job) const = 0;
};

// How jobs that share a server slow each other down.
enum class ContentionKind {
  none,   // S = 1
  fixed,  // S = 1 + ratio while another job is on one of the job's servers
  mosim,  // proportional share of each NIC, Eq. 6-10
  fair,   // max-min fair share of all links
};

// Whether the times at which jobs send can matter under this model.
[[nodiscard]] constexpr bool knows_phases(ContentionKind kind) {
  return kind == ContentionKind::mosim || kind == ContentionKind::fair;
}

// When a running job demands bandwidth.
enum class Resolution {
  event,  // always (the paper's text)
  phase,  // only in the communication phase of each iteration (the authors' artifact)
};

struct ContentionOptions {
  ContentionKind kind = ContentionKind::mosim;
  Resolution resolution = Resolution::event;
  double min_bandwidth = 10e6;  // MIN_BW, bytes per second
  double ratio = 0.1;           // of `fixed`
};

// What the model is built for.
struct ContentionSetting {
  std::size_t jobs = 0;            // JobIndex runs from 0 to here
  double most_demand_per_gpu = 0;  // inside a server, of any job: see `intra_demand`
};

// A link that a job uses.
struct LinkDemand {
  std::string link;     // its name
  double capacity = 0;  // bytes per second, each direction
  double demand = 0;    // what the job sends over it, were it alone and the link wide enough
};

// The links that carry the job's traffic: the NICs of its servers, what is above them, and the
// insides of servers where `mosim` and `fair` follow them.
[[nodiscard]] std::vector<LinkDemand> links_of(const ClusterSpec& cluster,
                                               const ContentionSetting& setting,
                                               const JobTraffic& traffic);

[[nodiscard]] std::unique_ptr<ContentionModel> make_contention(const ContentionOptions& options,
                                                               const ClusterSpec& cluster,
                                                               const ContentionSetting& setting);

// Eq. 8: A = D * min(1, C / sum of D), what a demand of `demand` gets of a NIC of `capacity` on
// which `total` is demanded in all.
[[nodiscard]] double proportional_share(double demand, double capacity, double total);

// Eq. 9: S_i = D / max(A, MIN_BW).
[[nodiscard]] double contention_factor(double demand, double allocated, double min_bandwidth);

// What the workers of a job on one server demand of the links inside it: their part of the job's
// total rate V / T_net. From D by Eq. 6-7 read backwards.
[[nodiscard]] double intra_demand(double demand, std::uint32_t workers, std::uint32_t inside);

}  // namespace mosim
