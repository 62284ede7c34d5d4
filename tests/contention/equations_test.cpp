#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "mosim/contention.hpp"
#include "mosim/profile.hpp"

namespace mosim {
namespace {

constexpr JobIndex kA{0};
constexpr JobIndex kB{1};
constexpr JobIndex kC{2};

using Groups = std::vector<WorkerGroup>;
using Jobs = std::vector<JobIndex>;

// The jobs of an answer in order; the answer itself lives until the next call only.
Jobs sorted(std::span<const JobIndex> jobs) {
  Jobs copy(jobs.begin(), jobs.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

// `count` servers of 8 GPUs with NICs of `nic` MB/s and, unless 0, an inside of `intra` MB/s.
ClusterSpec cluster(std::uint32_t count, double nic, double intra = 0) {
  ServerGroup group;
  group.count = count;
  group.gpus = 8;
  group.nic = nic * 1e6;
  group.intra = intra * 1e6;
  return ClusterSpec{{group}};
}

std::unique_ptr<ContentionModel> model(ContentionKind kind, const ClusterSpec& spec,
                                       double most_demand_per_gpu = 0) {
  ContentionOptions options;
  options.kind = kind;
  options.ratio = 0.1;
  options.min_bandwidth = 10e6;
  return make_contention(options, spec, {3, most_demand_per_gpu});
}

// Two workers on each of servers `a` and `b`.
Groups two_and_two(std::uint32_t a, std::uint32_t b) {
  return {{ServerId{a}, 2}, {ServerId{b}, 2}};
}

void place(ContentionModel& contention, JobIndex job, const Groups& groups, double demand) {
  std::uint32_t workers = 0;
  for (const WorkerGroup& group : groups) workers += group.workers;
  EXPECT_TRUE(contention.place(job, {groups, workers, demand * 1e6}).empty());
}

TEST(Equation6, ShareOfAWorker) {
  // 600 MB over 4 workers; one worker has it all.
  EXPECT_EQ(volume_per_worker(600e6, 4), 150e6);
  EXPECT_EQ(volume_per_worker(600e6, 1), 600e6);
}

TEST(Equation7, VolumeOnANic) {
  // c = 600 / 4 = 150; the ring comes in and goes out: 2c, however many sit there.
  EXPECT_EQ(nic_volume(600e6, 4, 1), 300e6);
  EXPECT_EQ(nic_volume(600e6, 4, 2), 300e6);
  EXPECT_EQ(nic_volume(600e6, 4, 3), 300e6);
  // Of two workers, one here: c = 600 / 2.
  EXPECT_EQ(nic_volume(600e6, 2, 1), 300e6);
  // 3 workers: 2 x 600 / 3.
  EXPECT_EQ(nic_volume(600e6, 3, 1), 400e6);
  // All or none of them here: nothing crosses the NIC.
  EXPECT_EQ(nic_volume(600e6, 4, 0), 0);
  EXPECT_EQ(nic_volume(600e6, 4, 4), 0);
  EXPECT_EQ(nic_volume(600e6, 2, 2), 0);
  EXPECT_EQ(nic_volume(600e6, 1, 1), 0);
}

TEST(Equation7, InsideDemandIsTheWorkersPart) {
  // 4 workers, D = 2c = 300: c = 150 for each worker on the server.
  EXPECT_EQ(intra_demand(300e6, 4, 3), 450e6);
  // 2 workers, D = c.
  EXPECT_EQ(intra_demand(300e6, 2, 2), 600e6);
  EXPECT_EQ(intra_demand(300e6, 1, 1), 0);
}

TEST(Equation8, ProportionalShare) {
  // C = 600 and 300 + 900 = 1200 are demanded: each gets the half of what it demands.
  EXPECT_DOUBLE_EQ(proportional_share(300e6, 600e6, 1200e6), 150e6);
  EXPECT_DOUBLE_EQ(proportional_share(900e6, 600e6, 1200e6), 450e6);
  // What fits is not cut, nor raised.
  EXPECT_EQ(proportional_share(300e6, 600e6, 500e6), 300e6);
  EXPECT_EQ(proportional_share(300e6, 600e6, 600e6), 300e6);
  // Alone with D > C: all of C.
  EXPECT_DOUBLE_EQ(proportional_share(900e6, 600e6, 900e6), 600e6);
}

TEST(Equation9, ContentionFactor) {
  // 300 / 150; 300 / 300
  EXPECT_DOUBLE_EQ(contention_factor(300e6, 150e6, 10e6), 2);
  EXPECT_EQ(contention_factor(300e6, 300e6, 10e6), 1);
  // MIN_BW is the least that counts: 300 / max(2, 10).
  EXPECT_DOUBLE_EQ(contention_factor(300e6, 2e6, 10e6), 30);
}

TEST(ProportionalSharing, JobAloneIsNotSlowedDown) {
  const auto contention = model(ContentionKind::mosim, cluster(2, 600));
  place(*contention, kA, two_and_two(0, 1), 600);
  EXPECT_TRUE(contention->sends(kA));
  EXPECT_EQ(contention->factor(kA), 1);
  // D = C: nothing changes.
  EXPECT_EQ(sorted(contention->start_sending(kA)), Jobs{});
  EXPECT_EQ(contention->factor(kA), 1);
}

TEST(ProportionalSharing, JobAloneThatDemandsMoreThanTheNicHas) {
  const auto contention = model(ContentionKind::mosim, cluster(2, 600));
  place(*contention, kA, two_and_two(0, 1), 900);
  // S = D / C = 900 / 600
  EXPECT_EQ(sorted(contention->start_sending(kA)), Jobs{kA});
  EXPECT_DOUBLE_EQ(contention->factor(kA), 1.5);
  static_cast<void>(contention->stop_sending(kA));
  EXPECT_EQ(contention->factor(kA), 1);
}

TEST(ProportionalSharing, TwoJobsOnTwoServers) {
  const auto contention = model(ContentionKind::mosim, cluster(2, 600));
  place(*contention, kA, two_and_two(0, 1), 300);
  place(*contention, kB, two_and_two(0, 1), 500);
  EXPECT_EQ(sorted(contention->start_sending(kA)), Jobs{});
  EXPECT_EQ(contention->factor(kA), 1);
  // 300 + 500 on 600: both get 3/4 of what they demand, S = 4/3.
  EXPECT_EQ(sorted(contention->start_sending(kB)), (Jobs{kA, kB}));
  EXPECT_DOUBLE_EQ(contention->factor(kA), 4.0 / 3);
  EXPECT_DOUBLE_EQ(contention->factor(kB), 4.0 / 3);
  // Exactly 1 again, for the one that is left and the one that stopped.
  EXPECT_EQ(sorted(contention->stop_sending(kB)), Jobs{kA});
  EXPECT_EQ(contention->factor(kA), 1);
  EXPECT_EQ(contention->factor(kB), 1);
  EXPECT_TRUE(contention->remove(kB).empty());
  EXPECT_EQ(contention->factor(kA), 1);
}

TEST(ProportionalSharing, OnlyAffectedJobsAreReturned) {
  const auto contention = model(ContentionKind::mosim, cluster(4, 600));
  place(*contention, kA, two_and_two(0, 1), 400);
  place(*contention, kC, two_and_two(2, 3), 900);
  static_cast<void>(contention->start_sending(kA));
  // C has servers of its own.
  EXPECT_EQ(sorted(contention->start_sending(kC)), Jobs{kC});
  place(*contention, kB, two_and_two(0, 1), 400);
  EXPECT_EQ(sorted(contention->start_sending(kB)), (Jobs{kA, kB}));
  // 800 / 600; C alone 900 / 600
  EXPECT_DOUBLE_EQ(contention->factor(kA), 4.0 / 3);
  EXPECT_DOUBLE_EQ(contention->factor(kC), 1.5);
  EXPECT_EQ(sorted(contention->stop_sending(kB)), Jobs{kA});
}

TEST(Equation10, TheWorstServerCounts) {
  const auto contention = model(ContentionKind::mosim, cluster(3, 600));
  // A on servers 0 and 1, B on 1 and 2, C on 0 and 2.
  place(*contention, kA, two_and_two(0, 1), 600);
  place(*contention, kB, two_and_two(1, 2), 300);
  place(*contention, kC, two_and_two(0, 2), 900);
  static_cast<void>(contention->start_sending(kA));
  static_cast<void>(contention->start_sending(kB));
  // Server 1: 900 / 600 = 1.5; servers 0 and 2 have room.
  EXPECT_DOUBLE_EQ(contention->factor(kA), 1.5);
  EXPECT_DOUBLE_EQ(contention->factor(kB), 1.5);
  EXPECT_EQ(sorted(contention->start_sending(kC)), (Jobs{kA, kB, kC}));
  // Server 0: 1500 / 600 = 2.5; server 1: 1.5; server 2: 1200 / 600 = 2.
  EXPECT_DOUBLE_EQ(contention->factor(kA), 2.5);
  EXPECT_DOUBLE_EQ(contention->factor(kB), 2);
  EXPECT_DOUBLE_EQ(contention->factor(kC), 2.5);
}

TEST(Equation10, ServersWithDifferentNics) {
  ClusterSpec spec = cluster(1, 600);
  spec.groups.push_back(cluster(1, 150).groups[0]);
  const auto contention = model(ContentionKind::mosim, spec);
  place(*contention, kA, two_and_two(0, 1), 300);
  static_cast<void>(contention->start_sending(kA));
  // 300 / 600 and 300 / 150
  EXPECT_DOUBLE_EQ(contention->factor(kA), 2);
}

TEST(Equation10, FactorIsNeverBelowOne) {
  const auto contention = model(ContentionKind::mosim, cluster(2, 600));
  // D is below MIN_BW: 4 / max(4, 10) = 0.4.
  place(*contention, kA, two_and_two(0, 1), 4);
  static_cast<void>(contention->start_sending(kA));
  EXPECT_EQ(contention->factor(kA), 1);
}

TEST(Equation10, MinimumBandwidthLimitsTheFactor) {
  const auto contention = model(ContentionKind::mosim, cluster(2, 30));
  // 60 + 240 on 30: a tenth each. A gets 6, under MIN_BW: S = 60 / 10. B gets 24: S = 10.
  place(*contention, kA, two_and_two(0, 1), 60);
  place(*contention, kB, two_and_two(0, 1), 240);
  static_cast<void>(contention->start_sending(kA));
  static_cast<void>(contention->start_sending(kB));
  EXPECT_DOUBLE_EQ(contention->factor(kA), 6);
  EXPECT_DOUBLE_EQ(contention->factor(kB), 10);
}

TEST(ProportionalSharing, JobInsideOneServerSendsNothing) {
  const auto contention = model(ContentionKind::mosim, cluster(2, 600));
  place(*contention, kA, {{ServerId{0}, 4}}, 900);
  EXPECT_FALSE(contention->sends(kA));
  EXPECT_EQ(sorted(contention->start_sending(kA)), Jobs{});
  EXPECT_EQ(contention->factor(kA), 1);
  // Nor does it slow down its neighbour.
  place(*contention, kB, two_and_two(0, 1), 600);
  static_cast<void>(contention->start_sending(kB));
  EXPECT_EQ(contention->factor(kB), 1);
}

TEST(ProportionalSharing, JobWithoutDemandSendsNothing) {
  const auto contention = model(ContentionKind::mosim, cluster(2, 600));
  place(*contention, kA, two_and_two(0, 1), 0);
  EXPECT_FALSE(contention->sends(kA));
  EXPECT_EQ(sorted(contention->start_sending(kA)), Jobs{});
  EXPECT_EQ(contention->factor(kA), 1);
}

TEST(ProportionalSharing, InsideOfAServerIsSharedWhereItIsLimited) {
  // c = 300 / 2 = 150 for each of 4 workers: 600 inside of 400. 8 GPUs x 150 could fill it.
  const auto contention = model(ContentionKind::mosim, cluster(2, 600, 400), 150e6);
  place(*contention, kA, {{ServerId{0}, 4}}, 300);
  EXPECT_TRUE(contention->sends(kA));
  EXPECT_EQ(sorted(contention->start_sending(kA)), Jobs{kA});
  EXPECT_DOUBLE_EQ(contention->factor(kA), 1.5);
  // B spans both servers: 2 x 150 inside each, NICs 300 of 600. Inside of server 0: 900 / 400.
  place(*contention, kB, two_and_two(0, 1), 300);
  EXPECT_EQ(sorted(contention->start_sending(kB)), (Jobs{kA, kB}));
  EXPECT_DOUBLE_EQ(contention->factor(kA), 2.25);
  EXPECT_DOUBLE_EQ(contention->factor(kB), 2.25);
  EXPECT_EQ(sorted(contention->stop_sending(kA)), Jobs{kB});
  EXPECT_EQ(contention->factor(kB), 1);
}

TEST(FixedContention, SlowsJobsThatShareAServer) {
  const auto contention = model(ContentionKind::fixed, cluster(4, 600));
  place(*contention, kA, two_and_two(0, 1), 300);
  EXPECT_EQ(sorted(contention->start_sending(kA)), Jobs{});
  EXPECT_EQ(contention->factor(kA), 1);
  place(*contention, kC, two_and_two(2, 3), 300);
  EXPECT_EQ(sorted(contention->start_sending(kC)), Jobs{});
  place(*contention, kB, two_and_two(0, 1), 300);
  // 1 + 0.1, as many servers as they may share; C is elsewhere.
  EXPECT_EQ(sorted(contention->start_sending(kB)), Jobs{kA});
  EXPECT_DOUBLE_EQ(contention->factor(kA), 1.1);
  EXPECT_DOUBLE_EQ(contention->factor(kB), 1.1);
  EXPECT_EQ(contention->factor(kC), 1);
  EXPECT_EQ(sorted(contention->stop_sending(kB)), Jobs{});
  EXPECT_EQ(sorted(contention->remove(kB)), Jobs{kA});
  EXPECT_EQ(contention->factor(kA), 1);
}

TEST(FixedContention, IsTheSameForSeveralNeighbours) {
  const auto contention = model(ContentionKind::fixed, cluster(2, 600));
  place(*contention, kA, two_and_two(0, 1), 300);
  place(*contention, kB, {{ServerId{0}, 2}}, 0);
  place(*contention, kC, {{ServerId{1}, 1}}, 0);
  EXPECT_DOUBLE_EQ(contention->factor(kA), 1.1);
  // A has a neighbour left on server 1.
  EXPECT_EQ(sorted(contention->remove(kB)), Jobs{kA});
  EXPECT_DOUBLE_EQ(contention->factor(kA), 1.1);
  EXPECT_DOUBLE_EQ(contention->factor(kC), 1.1);
  EXPECT_EQ(sorted(contention->remove(kC)), Jobs{kA});
  EXPECT_EQ(contention->factor(kA), 1);
}

TEST(NoContention, NeverSlowsAnybody) {
  const auto contention = model(ContentionKind::none, cluster(2, 30));
  place(*contention, kA, two_and_two(0, 1), 900);
  place(*contention, kB, two_and_two(0, 1), 900);
  EXPECT_EQ(sorted(contention->start_sending(kA)), Jobs{});
  EXPECT_EQ(sorted(contention->start_sending(kB)), Jobs{});
  EXPECT_EQ(contention->factor(kA), 1);
  EXPECT_FALSE(contention->sends(kA));
}

}  // namespace
}  // namespace mosim
