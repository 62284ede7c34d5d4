#include "schedule/fragmentation_placement.hpp"

#include <algorithm>
#include <tuple>

#include "schedule/visit_servers.hpp"

namespace mosim {
namespace {

constexpr std::uint32_t kUnlimitedCpus = 0xffffffff;

// Scores that are kept at most: a bound on memory, far above what a mix sees.
constexpr std::size_t kMostScores = std::size_t{1} << 20;

void free_parts(const ServerPool& servers, ServerId server, FreeParts& free) {
  free.gpus = servers.free_gpus(server);
  free.cpus = servers.cpus(server) == 0 ? kUnlimitedCpus : servers.free_cpus(server);
  free.rooms.clear();
  for (const std::uint32_t room : servers.gpu_rooms(server)) {
    if (room > 0 && room < kGpuParts) free.rooms.push_back(room);
  }
  std::ranges::sort(free.rooms);
}

bool runs_on(const FreeParts& free, const TaskKind& kind) {
  if (kind.cpus > free.cpus) return false;
  if (!kind.shares_gpu()) return kind.gpus <= free.gpus;
  return free.gpus > 0 || (!free.rooms.empty() && free.rooms.back() >= kind.milli);
}

// The worker takes part of a GPU that had `room`.
FreeParts after_share(FreeParts free, const TaskKind& kind, std::uint32_t room) {
  if (room == kGpuParts) {
    --free.gpus;
  } else {
    free.rooms.erase(std::ranges::find(free.rooms, room));
  }
  if (room > kind.milli) {
    const std::uint32_t left = room - kind.milli;
    free.rooms.insert(std::ranges::lower_bound(free.rooms, left), left);
  }
  if (free.cpus != kUnlimitedCpus) free.cpus -= kind.cpus;
  return free;
}

FreeParts after_workers(FreeParts free, const TaskKind& kind, std::uint32_t workers) {
  free.gpus -= workers * kind.gpus;
  if (free.cpus != kUnlimitedCpus) free.cpus -= workers * kind.cpus;
  return free;
}

// The number of a GPU with this room; all of it: of a free one.
std::uint32_t gpu_with(std::span<const std::uint32_t> rooms, std::uint32_t room) {
  return static_cast<std::uint32_t>(std::ranges::find(rooms, room) - rooms.begin());
}

}  // namespace

TaskKind task_kind(const ResourceRequest& request) {
  return {request.gpus_per_worker, request.gpu_milli, request.cpus_per_worker};
}

std::uint64_t unusable(const FreeParts& free, const TaskKind& kind) {
  const bool runs = runs_on(free, kind);
  std::uint64_t sum = runs ? 0 : std::uint64_t{free.gpus} * kGpuParts;
  for (const std::uint32_t room : free.rooms) {
    if (!runs || room < kind.milli) sum += room;
  }
  return sum;
}

std::uint64_t fragmentation(const FreeParts& free, std::span<const CountedKind> mix) {
  std::uint64_t sum = 0;
  for (const CountedKind& one : mix) sum += one.workers * unusable(free, one.kind);
  return sum;
}

std::size_t FragmentationPlacement::KeyHash::operator()(
    const std::vector<std::uint32_t>& key) const {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::uint32_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

// The mix knows the kind that is asked for, also when it comes for the first time.
void FragmentationPlacement::refresh_mix(const TaskKind& kind) const {
  const bool known =
      std::ranges::any_of(mix_, [&](const CountedKind& one) { return one.kind == kind; });
  if (scores_.size() > kMostScores) scores_.clear();
  if (known && placed_workers_ <= mix_workers_ + mix_workers_ / 20) return;
  mix_.clear();
  for (const auto& [placed, workers] : placed_) mix_.push_back({placed, workers});
  if (!placed_.contains(kind)) mix_.push_back({kind, 1});
  mix_workers_ = placed_workers_;
  scores_.clear();
}

FragmentationPlacement::Score FragmentationPlacement::score(const ServerPool& servers,
                                                            const Candidate& candidate,
                                                            const TaskKind& kind) const {
  free_parts(servers, candidate.server, free_);
  if (candidate.workers > 0) free_ = after_workers(free_, kind, candidate.workers);
  key_.assign({kind.gpus, kind.milli, kind.cpus, free_.gpus, free_.cpus});
  key_.insert(key_.end(), free_.rooms.begin(), free_.rooms.end());
  const auto [at, added] = scores_.try_emplace(key_);
  if (!added) return at->second;
  const std::uint64_t before = fragmentation(free_, mix_);
  const auto growth_to = [&](const FreeParts& after) {
    return static_cast<std::int64_t>(fragmentation(after, mix_)) -
           static_cast<std::int64_t>(before);
  };
  Score& best = at->second;
  if (!kind.shares_gpu()) {
    best.growth = growth_to(after_workers(free_, kind, 1));
    return best;
  }
  bool found = false;
  const auto consider = [&](std::uint32_t room) {
    const std::int64_t growth = growth_to(after_share(free_, kind, room));
    if (found && growth >= best.growth) return;
    best = {growth, room};
    found = true;
  };
  for (const std::uint32_t room : free_.rooms) {
    if (room >= kind.milli) consider(room);
  }
  if (free_.gpus > 0) consider(kGpuParts);
  return best;
}

// The servers with room for a worker, if they have room for all; else none.
std::vector<FragmentationPlacement::Candidate> FragmentationPlacement::candidates(
    const ServerPool& servers, const ResourceRequest& request) {
  std::vector<Candidate> found;
  std::uint64_t room = 0;
  // Where the same is free of all servers with as many free GPUs, no more of them than workers are
  // needed.
  const bool same_on_level = servers.alike() && servers.total_shared_room() == 0;
  const std::uint32_t most = servers.by_free_gpus().most_gpus();
  for (std::uint32_t free = least_free_gpus(servers, request); free <= most; ++free) {
    std::uint32_t on_level = 0;
    const auto add = [&](ServerId server, std::uint32_t capacity) {
      found.push_back({server, capacity});
      room += capacity;
      return !same_on_level || ++on_level < request.workers;
    };
    visit_level(servers, request, free, add);
  }
  if (room < request.workers) found.clear();
  return found;
}

bool FragmentationPlacement::place(const ServerPool& servers, const PlacementQuery& query,
                                   std::vector<WorkerGroup>& groups) const {
  const ResourceRequest& request = query.request;
  groups.clear();
  if (too_large(servers, request)) return false;
  std::vector<Candidate> heap = candidates(servers, request);
  if (heap.empty()) return false;
  const TaskKind kind = task_kind(request);
  refresh_mix(kind);
  for (Candidate& one : heap) one.score = score(servers, one, kind);
  const auto later = [](const Candidate& a, const Candidate& b) {
    return std::tie(a.score.growth, a.server) > std::tie(b.score.growth, b.server);
  };
  std::ranges::make_heap(heap, later);
  for (std::uint32_t left = request.workers; left > 0; --left) {
    std::ranges::pop_heap(heap, later);
    Candidate& best = heap.back();
    if (best.workers == 0) {
      best.group = groups.size();
      groups.push_back({best.server, 0});
      if (kind.shares_gpu()) {
        groups.back().gpu = gpu_with(servers.gpu_rooms(best.server), best.score.room);
      }
    }
    groups[best.group].workers = ++best.workers;
    if (best.workers == best.capacity || left == 1) {
      heap.pop_back();
      continue;
    }
    best.score = score(servers, best, kind);
    std::ranges::push_heap(heap, later);
  }
  placed_[kind] += request.workers;
  placed_workers_ += request.workers;
  return true;
}

}  // namespace mosim
