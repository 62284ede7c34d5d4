// Max-min fair sharing of a cluster's links: by hand, and against a whole solution after each
// change.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "mosim/contention.hpp"
#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

using Groups = std::vector<WorkerGroup>;
using Jobs = std::vector<JobIndex>;

constexpr JobIndex kA{0};
constexpr JobIndex kB{1};
constexpr JobIndex kC{2};

std::unique_ptr<ContentionModel> fair(const ClusterSpec& spec, double most_demand_per_gpu = 0) {
  ContentionOptions options;
  options.kind = ContentionKind::fair;
  return make_contention(options, spec, {16, most_demand_per_gpu});
}

Groups one_each(const std::vector<std::uint32_t>& servers) {
  Groups groups;
  for (const std::uint32_t server : servers) groups.push_back({ServerId{server}, 1});
  return groups;
}

void send(ContentionModel& contention, JobIndex job, const JobTraffic& traffic) {
  static_cast<void>(contention.place(job, traffic));
  static_cast<void>(contention.start_sending(job));
}

Jobs sorted(std::span<const JobIndex> jobs) {
  Jobs copy(jobs.begin(), jobs.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

TEST(FairSharing, ASmallFlowIsNotHarmed) {
  // 463 MB/s for 100 and 400: the small one is served, the other gets 363. Proportional sharing
  // would stretch both 500 / 463 times.
  const auto contention = fair(cluster(2, 8, 463));
  send(*contention, kA, {one_each({0, 1}), 2, 100e6});
  send(*contention, kB, {one_each({0, 1}), 2, 400e6});
  EXPECT_EQ(contention->factor(kA), 1);
  EXPECT_DOUBLE_EQ(contention->factor(kB), 400.0 / 363);
  EXPECT_EQ(sorted(contention->stop_sending(kA)), Jobs{kB});
  EXPECT_EQ(contention->factor(kB), 1);
}

TEST(FairSharing, AJobAloneIsStretchedByWhatItsNicLacks) {
  const auto contention = fair(cluster(2, 8, 100));
  send(*contention, kA, {one_each({0, 1}), 2, 250e6});
  EXPECT_DOUBLE_EQ(contention->factor(kA), 2.5);
  static_cast<void>(contention->stop_sending(kA));
  EXPECT_EQ(contention->factor(kA), 1);
}

TEST(FairSharing, ARingRunsAtItsSlowestLinkAndLeavesTheRest) {
  // A on servers 0-1, B on 1-2, C on 2-3, NICs of 100. A alone on server 0. B meets A on server 1
  // (50 each) and C on server 2, which gets the 50 that B cannot use there.
  const auto contention = fair(cluster(4, 8, 100));
  send(*contention, kA, {one_each({0, 1}), 2, 100e6});
  send(*contention, kC, {one_each({2, 3}), 2, 40e6});
  EXPECT_EQ(sorted(contention->start_sending(kB)), Jobs{});  // not placed: nothing to send
  static_cast<void>(contention->stop_sending(kB));
  send(*contention, kB, {one_each({1, 2}), 2, 90e6});
  EXPECT_DOUBLE_EQ(contention->factor(kA), 2);
  EXPECT_DOUBLE_EQ(contention->factor(kB), 1.8);
  EXPECT_EQ(contention->factor(kC), 1);  // 50 + 40 fit
}

TEST(FairSharing, InsideOfServers) {
  // A's two workers exchange 60 inside server 0, of 100; B's 80: 50 each.
  ServerGroup group = servers(1, 8, 100);
  group.intra = 100e6;
  const auto contention = fair({{group}}, 100e6);
  const Groups two{{ServerId{0}, 2}};
  send(*contention, kA, {two, 2, 30e6});  // intra_demand: 2 x 30
  send(*contention, kB, {two, 2, 40e6});
  EXPECT_DOUBLE_EQ(contention->factor(kA), 1.2);
  EXPECT_DOUBLE_EQ(contention->factor(kB), 1.6);
}

TEST(FairSharing, WeightsAndPriorities) {
  const auto contention = fair(cluster(2, 8, 100));
  send(*contention, kA, {one_each({0, 1}), 2, 100e6, {}, 0, 1, 1});
  send(*contention, kB, {one_each({0, 1}), 2, 100e6, {}, 0, 3, 1});
  EXPECT_DOUBLE_EQ(contention->factor(kA), 4);  // 25 of 100
  send(*contention, kC, {one_each({0, 1}), 2, 60e6, {}, 0, 1, 0});
  EXPECT_EQ(contention->factor(kC), 1);
  EXPECT_DOUBLE_EQ(contention->factor(kA), 10);  // a quarter of 40
  EXPECT_DOUBLE_EQ(contention->factor(kB), 100.0 / 30);
}

TEST(FairSharing, StarvedJobsKeepMinBandwidth) {
  const auto contention = fair(cluster(2, 8, 100));
  send(*contention, kA, {one_each({0, 1}), 2, 50e6, {}, 0, 1, 1});
  send(*contention, kB, {one_each({0, 1}), 2, 100e6, {}, 0, 1, 0});
  EXPECT_DOUBLE_EQ(contention->factor(kA), 5);  // 50 of MIN_BW = 10
}

TEST(FairSharing, ComponentsAreJobsThatCanFillALinkTogether) {
  const auto contention = fair(cluster(4, 8, 100));
  static_cast<void>(contention->place(kA, {one_each({0, 1}), 2, 60e6}));
  static_cast<void>(contention->place(kB, {one_each({1, 2}), 2, 60e6}));
  static_cast<void>(contention->place(kC, {one_each({2, 3}), 2, 40e6}));
  // 120 on server 1; 100 on server 2 fit.
  EXPECT_EQ(sorted(contention->component(kA)), (Jobs{kA, kB}));
  EXPECT_EQ(sorted(contention->component(kC)), (Jobs{kC}));
}

// Two racks of two servers, NICs of 100 MB/s, 2:1 oversubscribed: 100 MB/s to and from a rack.
ClusterSpec two_racks(std::uint32_t uplinks) {
  ServerGroup group = servers(4, 8, 100);
  group.servers_per_rack = 2;
  ClusterSpec spec{{group}};
  spec.fabric.rack_uplinks = uplinks;
  spec.fabric.rack_oversubscription = 2;
  return spec;
}

TEST(FairSharing, RingsMeetOnTheUplinksOfRacks) {
  // A and B use NICs of their own and cross between the racks: 80 + 70 on uplinks of 100.
  for (const ContentionKind kind : {ContentionKind::fair, ContentionKind::mosim}) {
    ContentionOptions options;
    options.kind = kind;
    const auto contention = make_contention(options, two_racks(1), {16, 0});
    send(*contention, kA, {one_each({0, 2}), 2, 80e6});
    send(*contention, kB, {one_each({1, 3}), 2, 70e6});
    const bool halves = kind == ContentionKind::fair;
    EXPECT_DOUBLE_EQ(contention->factor(kA), halves ? 1.6 : 1.5);
    EXPECT_DOUBLE_EQ(contention->factor(kB), halves ? 1.4 : 1.5);
  }
}

TEST(FairSharing, InsideARackNothingIsCrossed) {
  const auto contention = fair(two_racks(1));
  send(*contention, kA, {one_each({0, 1}), 2, 80e6});
  send(*contention, kB, {one_each({2, 3}), 2, 100e6});
  EXPECT_EQ(contention->factor(kA), 1);
  EXPECT_EQ(contention->factor(kB), 1);
}

TEST(FairSharing, LinksOfAJobByName) {
  const Groups groups = one_each({0, 1, 2});
  const auto links = links_of(two_racks(1), {1, 0}, {groups, 3, 60e6});
  std::vector<std::string> names;
  for (const LinkDemand& link : links) names.push_back(link.link);
  EXPECT_EQ(names,
            (std::vector<std::string>{"server 0 NIC", "server 1 NIC", "server 2 NIC", "rack 0 up 0",
                                      "rack 0 down 0", "rack 1 up 0", "rack 1 down 0"}));
  EXPECT_DOUBLE_EQ(links.back().capacity, 100e6);
  EXPECT_DOUBLE_EQ(links.back().demand, 60e6);
}

// After each of many changes: the factors are those of a model that got all senders at once, the
// jobs whose factor changed are those that were returned, and no link carries more than it can.
RC_GTEST_PROP(FairSharing, IncrementalIsWhole, ()) {
  ServerGroup group = servers(6, 8, 100);
  group.intra = pick(0, 2) == 0 ? 0 : 300e6;
  const ClusterSpec spec{{group}};
  struct Placed {
    Groups groups;
    JobTraffic traffic;
    bool sends = false;
  };
  std::vector<Placed> jobs(pick(1U, 12U));
  const auto contention = fair(spec, 200e6);
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    const std::uint32_t first = pick(0U, 6U);
    for (std::uint32_t j = pick(1U, 5U); j > 0; --j) {
      jobs[i].groups.push_back({ServerId{(first + j) % 6}, 1});
    }
    jobs[i].traffic = {jobs[i].groups,
                       static_cast<std::uint32_t>(jobs[i].groups.size()),
                       pick(0U, 150U) * 1e6,
                       {},
                       0,
                       pick(1U, 3U) * 1.0,
                       pick(0U, 2U)};
    static_cast<void>(contention->place(JobIndex{i}, jobs[i].traffic));
  }
  for (int step = 0; step < 20; ++step) {
    const std::uint32_t chosen = pick(0U, static_cast<std::uint32_t>(jobs.size()));
    std::vector<double> before;
    for (std::uint32_t i = 0; i < jobs.size(); ++i) {
      before.push_back(contention->factor(JobIndex{i}));
    }
    const Jobs changed = sorted(jobs[chosen].sends ? contention->stop_sending(JobIndex{chosen})
                                                   : contention->start_sending(JobIndex{chosen}));
    jobs[chosen].sends = !jobs[chosen].sends;
    const auto whole = fair(spec, 200e6);
    for (std::uint32_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i].sends) send(*whole, JobIndex{i}, jobs[i].traffic);
    }
    for (std::uint32_t i = 0; i < jobs.size(); ++i) {
      const double now = contention->factor(JobIndex{i});
      RC_ASSERT(std::abs(now - whole->factor(JobIndex{i})) <= 1e-12 * now);
      const bool told = std::binary_search(changed.begin(), changed.end(), JobIndex{i});
      RC_ASSERT(told || i == chosen || now == before[i]);
    }
  }
}

}  // namespace
}  // namespace mosim::test
