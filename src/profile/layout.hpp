// Where a job's ranks sit while it is characterized, and what that leaves of each link to the
// groups of ranks that exchange.
#pragma once

#include <cstdint>

#include "mosim/characterize.hpp"
#include "profile/iteration_trace.hpp"

namespace mosim {

// Rank r sits on server r / per_server.
struct RankLayout {
  std::uint32_t ranks = 1;
  std::uint32_t servers = 1;
  std::uint32_t per_server = 1;
  double inside = 0;        // bytes per second of one rank to the others of its server
  double between = 0;       // of a server's NIC, each way
  double inside_delay = 0;  // seconds for one message
  double between_delay = 0;
};

// How a group lies on the servers.
struct GroupSpan {
  std::uint32_t size = 1;
  std::uint32_t servers = 1;     // that it spans
  std::uint32_t per_server = 1;  // of its ranks
  double inside = 0;             // bytes per second of one rank inside its server
  double between = 0;            // of this group's part of the NIC: like groups share it
  double inside_delay = 0;
  double between_delay = 0;

  // The slowest hop of a ring over the group.
  [[nodiscard]] double ring_bandwidth() const;
  [[nodiscard]] double ring_delay() const { return servers > 1 ? between_delay : inside_delay; }
};

[[nodiscard]] RankLayout lay_out(std::uint32_t gpus, const ClusterSpec& cluster, Layout layout);
[[nodiscard]] GroupSpan span_of(const RankGroup& group, const RankLayout& layout);

// The groups of a hybrid job. Tensor ranks are neighbours, then expert or data ranks, then pipeline
// stages (the order of Megatron-LM, Narayanan et al., SC 2021).
[[nodiscard]] RankGroup group_of(Communicator communicator, std::uint32_t gpus,
                                 const Parallelism& parallelism);

}  // namespace mosim
