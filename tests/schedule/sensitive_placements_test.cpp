#include "schedule/sensitive_placements.hpp"

#include <gtest/gtest.h>

#include <map>

#include "schedule/places.hpp"
#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

Groups place(const Placement& placement, const ClusterState& state, const PlacementQuery& query) {
  Groups groups;
  if (!placement.place(state.pool(PoolId{0}), query, groups)) groups.clear();
  return groups;
}

PlacementQuery query(std::uint32_t workers, double skew) {
  return {.request = {.workers = workers}, .skew = skew, .forecast = nullptr};
}

TEST(TiresiasPlacement, SkewedJobsTakeAsFewServersAsCanHoldThemOrWait) {
  const TiresiasPlacement tiresias(0.5);
  // 4 workers fit on one server of 8, but none has 4 free: the skewed job waits, another does not.
  const ClusterState full = with_free({3, 2, 3});
  EXPECT_EQ(place(tiresias, full, query(4, 0.7)), Groups{});
  EXPECT_EQ(place(tiresias, full, query(4, 0.5)), (Groups{on(1, 2), on(0, 2)}));
  EXPECT_EQ(place(tiresias, with_free({3, 4, 3}), query(4, 0.7)), (Groups{on(1, 4)}));
  // 12 workers need two servers at least: 8 + 4 are there.
  EXPECT_EQ(place(tiresias, with_free({8, 3, 4}), query(12, 0.7)), (Groups{on(0, 8), on(2, 4)}));
  EXPECT_EQ(place(tiresias, with_free({6, 3, 4}), query(12, 0.7)), Groups{});
  // They fit or do not fit together only with their like.
  EXPECT_NE(tiresias.kind_of(query(4, 0.7)), tiresias.kind_of(query(4, 0.5)));
  EXPECT_EQ(tiresias.kind_of(query(4, 0.1)), tiresias.kind_of(query(8, 0.5)));
}

TEST(TiresiasPlacement, CountsWhatServersCouldHoldWithTheirCores) {
  // 8 GPUs but 8 cores: 2 workers of 4 cores a server, so 4 workers need two servers.
  ServerGroup group;
  group.count = 3;
  group.cpus = 8;
  const ClusterState state(ClusterSpec{{group}});
  PlacementQuery wanted = query(4, 0.9);
  wanted.request.cpus_per_worker = 4;
  EXPECT_EQ(place(TiresiasPlacement(0.5), state, wanted), (Groups{on(0, 2), on(1, 2)}));
}

// A forecast by table: every place that is not listed costs 9.
class Table : public SlowdownForecast {
 public:
  explicit Table(std::map<std::uint32_t, double> loads) : loads_(std::move(loads)) {}
  [[nodiscard]] double added_slowdown(std::span<const WorkerGroup> groups) const override {
    double sum = 0;
    for (const WorkerGroup& group : groups) sum += nic_load(group.server);
    return groups.size() == 1 ? 0 : sum;
  }
  [[nodiscard]] double nic_load(ServerId server) const override {
    return loads_.at(static_cast<std::uint32_t>(server));
  }

 private:
  std::map<std::uint32_t, double> loads_;
};

TEST(MinContention, TakesThePlaceWithTheLeastForeseenSlowdown) {
  const MinContention placement;
  const ClusterState state = with_free({4, 3, 2, 4});
  // 6 workers: the fewest servers are 0 and 2, the tightest (load 5 + 0); the quietest are 2 and 3
  // (0 + 1).
  const Table table({{0, 5}, {1, 4}, {2, 0}, {3, 1}});
  PlacementQuery wanted = query(6, 0);
  wanted.forecast = &table;
  EXPECT_EQ(place(placement, state, wanted), (Groups{on(2, 2), on(3, 4)}));
  // A single server needs no network, whatever its load.
  wanted.request.workers = 4;
  EXPECT_EQ(place(placement, state, wanted), (Groups{on(0, 4)}));
  // Without a forecast the fewest servers.
  wanted = query(6, 0);
  EXPECT_EQ(place(placement, state, wanted), (Groups{on(0, 4), on(2, 2)}));
  EXPECT_EQ(place(placement, state, query(14, 0)), Groups{});
}

TEST(MinContention, KeepsJobsApartThatLoadBalancingMixes) {
  // 4 servers of 2 GPUs, NICs of 100 MB/s, jobs of 3 workers that demand 100 MB/s for half of each
  // iteration. Dealt out by load balancing the second job meets the first on two servers.
  std::vector<Job> two = {job({0, 3, 100, 1, 1, 100}), job({0, 3, 100, 1, 1, 100})};
  const ClusterSpec spec = cluster(4, 2, 100);
  const auto mean = [&](const std::string& placement) {
    const SimulationResult result = run_on(spec, two, {}, "fifo", placement);
    return (result.jobs[0].mean_contention + result.jobs[1].mean_contention) / 2;
  };
  EXPECT_DOUBLE_EQ(mean("min-contention"), 1);
  EXPECT_GT(mean("load-balancing"), 1.5);
}

}  // namespace
}  // namespace mosim::test
