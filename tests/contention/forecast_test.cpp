// What the contention models foresee of a job that is not placed yet.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "mosim/contention.hpp"
#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

using Groups = std::vector<WorkerGroup>;

constexpr JobIndex kA{0};
constexpr JobIndex kB{1};

std::unique_ptr<ContentionModel> model(ContentionKind kind, const ClusterSpec& spec,
                                       double most_demand_per_gpu = 0) {
  ContentionOptions options;
  options.kind = kind;
  return make_contention(options, spec, {8, most_demand_per_gpu});
}

Groups one_each(const std::vector<std::uint32_t>& servers) {
  Groups groups;
  for (const std::uint32_t server : servers) groups.push_back({ServerId{server}, 1});
  return groups;
}

TEST(Forecast, ProportionalSharingByHand) {
  // NICs of 100 MB/s. A demands 60 on servers 0 and 1, B 80 on servers 1 and 2: on server 1 140 of
  // 100, so both are stretched 1.4 times.
  const auto contention = model(ContentionKind::mosim, cluster(4, 8, 100));
  const Groups a = one_each({0, 1});
  const Groups b = one_each({1, 2});
  static_cast<void>(contention->place(kA, {a, 2, 60e6}));
  static_cast<void>(contention->place(kB, {b, 2, 80e6}));
  EXPECT_DOUBLE_EQ(contention->nic_load(ServerId{1}), 1.4);
  EXPECT_DOUBLE_EQ(contention->nic_load(ServerId{3}), 0);
  // C with 100 on servers 2 and 3 meets B on server 2: 180 of 100, so C rises by 0.8 and B from
  // 1.4 to 1.8. A stays. Nobody has to send for that.
  const Groups c = one_each({2, 3});
  EXPECT_NEAR(contention->added_slowdown({c, 2, 100e6}), 0.8 + 0.4, 1e-12);
  // On server 3 alone it needs no NIC.
  const Groups alone{{ServerId{3}, 2}};
  EXPECT_EQ(contention->added_slowdown({alone, 2, 100e6}), 0);
  static_cast<void>(contention->remove(kB));
  EXPECT_EQ(contention->added_slowdown({c, 2, 100e6}), 0);
}

TEST(Forecast, FixedByHand) {
  // A is alone on servers 0 and 1. A job on 1 and 2 would disturb it and be disturbed: 2 x 0.1.
  const auto contention = model(ContentionKind::fixed, cluster(4, 8));
  const Groups a = one_each({0, 1});
  static_cast<void>(contention->place(kA, {a, 2, 60e6}));
  const Groups one_two = one_each({1, 2});
  EXPECT_NEAR(contention->added_slowdown({one_two, 2, 60e6}), 0.2, 1e-12);
  EXPECT_EQ(contention->added_slowdown({one_each({2, 3}), 2, 60e6}), 0);
  // Once B shares server 1 with A, a third one there is disturbed alone.
  static_cast<void>(contention->place(kB, {one_two, 2, 60e6}));
  EXPECT_NEAR(contention->added_slowdown({one_each({1, 3}), 2, 60e6}), 0.1, 1e-12);
}

// The forecast is what comes true: the sum of all factors before and after, with all sending.
RC_GTEST_PROP(Forecast, IsTheRiseOfTheSumOfFactors, ()) {
  ServerGroup group = servers(5, 8, 100);
  group.intra = pick(0, 2) == 0 ? 0 : 300e6;
  const ClusterSpec spec{{group}};
  const ContentionKind kind =
      std::array{ContentionKind::fixed, ContentionKind::mosim, ContentionKind::fair}[pick(0U, 3U)];
  const auto contention = model(kind, spec, 200e6);
  const std::uint32_t jobs = pick(1U, 6U);
  double before = 0;
  for (std::uint32_t job = 0; job <= jobs; ++job) {
    Groups groups;
    std::uint32_t workers = 0;
    const std::uint32_t first = pick(0U, 5U);
    for (std::uint32_t i = pick(1U, 4U); i > 0; --i) {
      groups.push_back({ServerId{(first + i) % 5}, 1});
      ++workers;
    }
    const JobTraffic traffic{groups, workers, pick(0U, 150U) * 1e6};
    const double foreseen = contention->added_slowdown(traffic);
    static_cast<void>(contention->place(JobIndex{job}, traffic));
    static_cast<void>(contention->start_sending(JobIndex{job}));
    double after = -1;  // its own rises from 1
    for (std::uint32_t one = 0; one <= job; ++one) after += contention->factor(JobIndex{one});
    RC_ASSERT(std::abs(after - before - foreseen) < 1e-9);
    before = after + 1;
  }
}

}  // namespace
}  // namespace mosim::test
