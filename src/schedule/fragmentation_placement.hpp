// Fragmentation gradient descent: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing
// Workloads with Fragmentation Gradient Descent", USENIX ATC 2023.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mosim/schedule.hpp"

namespace mosim {

// What one worker asks for, as far as fragmentation looks at it. The GPU type is left out: a pool's
// servers all are of the types that the job takes.
struct TaskKind {
  std::uint32_t gpus = 1;
  std::uint32_t milli = kGpuParts;  // of each
  std::uint32_t cpus = 0;

  [[nodiscard]] bool shares_gpu() const { return milli < kGpuParts; }
  friend auto operator<=>(const TaskKind&, const TaskKind&) = default;
};

[[nodiscard]] TaskKind task_kind(const ResourceRequest& request);

struct CountedKind {
  TaskKind kind;
  std::uint64_t workers = 0;
};

// What is free of a server.
struct FreeParts {
  std::uint32_t gpus = 0;  // wholly free
  std::uint32_t cpus = 0;
  std::vector<std::uint32_t> rooms = {};  // thousandths, of shared GPUs with room; ascending
};

// What is free of GPUs that a worker of this kind cannot use, in thousandths: all of it where the
// worker cannot run; else what is left of GPUs that have less room than it needs.
[[nodiscard]] std::uint64_t unusable(const FreeParts& free, const TaskKind& kind);

// The same summed over the workers of a mix: F_n(M) times the number of workers and 1000.
[[nodiscard]] std::uint64_t fragmentation(const FreeParts& free, std::span<const CountedKind> mix);

// Each worker to the server, and the GPU, where the fragmentation of what is free grows the least.
// Ties keep the server order; on a server, the GPU with the least room.
//
// The mix is that of the workers placed so far, each counted alike, and of the job at hand. It is
// taken anew whenever there are a twentieth more of them, so that scores can be kept in between.
// What does not fit changes nothing.
class FragmentationPlacement : public Placement {
 public:
  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override;

 private:
  // Where on a server a worker does the least harm.
  struct Score {
    std::int64_t growth = 0;
    std::uint32_t room = kGpuParts;  // of the GPU before; all: a free one
  };
  struct Candidate {
    ServerId server{};
    std::uint32_t capacity = 0;
    Score score = {};
    std::uint32_t workers = 0;  // given to it
    std::size_t group = 0;      // where they are counted
  };
  struct KeyHash {
    std::size_t operator()(const std::vector<std::uint32_t>& key) const;
  };
  using Scores = std::unordered_map<std::vector<std::uint32_t>, Score, KeyHash>;

  [[nodiscard]] static std::vector<Candidate> candidates(const ServerPool& servers,
                                                         const ResourceRequest& request);
  void refresh_mix(const TaskKind& kind) const;
  [[nodiscard]] Score score(const ServerPool& servers, const Candidate& candidate,
                            const TaskKind& kind) const;

  // Learned from the places given: like the draws of a random placement, not part of the question.
  mutable std::map<TaskKind, std::uint64_t> placed_;
  mutable std::uint64_t placed_workers_ = 0;
  mutable std::vector<CountedKind> mix_;
  mutable std::uint64_t mix_workers_ = 0;
  mutable Scores scores_;  // for `mix_`, by kind and what is free
  mutable std::vector<std::uint32_t> key_;
  mutable FreeParts free_;
};

}  // namespace mosim
