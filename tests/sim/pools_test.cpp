// GPU types, virtual clusters and quotas, by hand.
#include <gtest/gtest.h>

#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

// A server of 4 GPUs.
ServerGroup server(const std::string& gpu, const std::string& virtual_cluster = {}) {
  ServerGroup group = servers(1, 4);
  group.gpu = gpu;
  group.virtual_cluster = virtual_cluster;
  return group;
}

// Two types: the first does an iteration in 1 s, the second in 2 s.
const ClusterSpec kTwoTypes{{server("A100-SXM4-80GB"), server("V100")}};

Job on_two_types(const JobSpec& spec) {
  Job out = job(spec);
  std::vector<JobProfile> profiles(2);
  profiles[0].compute_s = 1;
  profiles[1].compute_s = 2;
  out.by_gpu = std::make_shared<const std::vector<JobProfile>>(profiles);
  return out;
}

ServerId first_server(const SimulationResult& result, std::size_t job) {
  return result.groups_of(result.jobs[job])[0].server;
}

TEST(GpuTypes, AJobOnTheSlowerTypeTakesItsIterations) {
  const std::vector<Job> two = {on_two_types({0, 4, 10}), on_two_types({0, 4, 10})};
  const SimulationResult result = run_on(kTwoTypes, two);
  EXPECT_EQ(result.jobs[0].end_s, 10);
  EXPECT_EQ(result.jobs[0].gpu_type, GpuTypeId{0});
  EXPECT_EQ(result.jobs[1].end_s, 20);  // W x 2
  EXPECT_EQ(result.jobs[1].gpu_type, GpuTypeId{1});
  EXPECT_EQ(result.jobs[1].compute_s, 20);
}

TEST(GpuTypes, AJobNeverMixesThem) {
  // Each server has two GPUs free while jobs 0 and 1 run; job 2 needs four of one type.
  const std::vector<Job> three = {on_two_types({0, 2, 10}), on_two_types({0, 4, 10}),
                                  on_two_types({1, 4, 1})};
  const SimulationResult result = run_on(kTwoTypes, three, {}, "fifo", "bin-packing");
  EXPECT_EQ(first_server(result, 1), ServerId{1});
  EXPECT_EQ(result.jobs[2].start_s, 10);
  const auto unplaceable = find_unplaceable(kTwoTypes, std::vector{on_two_types({0, 5, 1})},
                                            *policies().make_placement("bin-packing"));
  ASSERT_EQ(unplaceable.size(), 1U);
  EXPECT_NE(unplaceable[0].reason.find("the 8 GPUs on 2 servers that it may use, of one kind at a "
                                       "time is 4"),
            std::string::npos)
      << unplaceable[0].reason;
}

TEST(GpuTypes, WhereTheyMixTheSlowestCounts) {
  SimulationOptions options;
  options.mix_gpu_types = true;
  const std::vector<Job> one = {on_two_types({0, 6, 10})};
  EXPECT_TRUE(
      find_unplaceable(kTwoTypes, one, *policies().make_placement("bin-packing"), true).empty());
  const SimulationResult result = run_on(kTwoTypes, one, options);
  EXPECT_EQ(result.jobs[0].end_s, 20);
  EXPECT_EQ(result.jobs[0].gpu_type, GpuTypeId{1});
  EXPECT_EQ(result.jobs[0].group_count, 2U);
}

TEST(GpuTypes, AJobThatNeedsATypeRunsThereOnly) {
  for (const bool mix : {false, true}) {
    SimulationOptions options;
    options.mix_gpu_types = mix;
    std::vector<Job> two = {on_two_types({0, 3, 10}), on_two_types({0, 3, 10})};
    for (Job& one : two) one.request.gpu_type = GpuTypeId{1};
    const SimulationResult result = run_on(kTwoTypes, two, options, "fifo-skip");
    EXPECT_EQ(result.jobs[0].end_s, 20);
    EXPECT_EQ(result.jobs[1].start_s, 20);
    EXPECT_EQ(first_server(result, 1), ServerId{1});
  }
}

TEST(GpuTypes, AJobThatNeedsATypeDoesNotHoldUpAnother) {
  // Same request but for the type: fifo-skip must not take one for the other.
  std::vector<Job> three = {on_two_types({0, 4, 10}), on_two_types({1, 4, 1}),
                            on_two_types({2, 4, 1})};
  three[1].request.gpu_type = GpuTypeId{0};
  const SimulationResult result = run_on(kTwoTypes, three, {}, "fifo-skip");
  EXPECT_EQ(result.jobs[1].start_s, 10);
  EXPECT_EQ(result.jobs[2].start_s, 2);
}

TEST(GpuTypes, AliasesAreOneType) {
  const ClusterSpec spec{{server("V100"), server("V100-SXM2-16GB")}};
  EXPECT_EQ(run_on(spec, jobs({{0, 8, 1}})).jobs[0].end_s, 1);
}

ClusterSpec divided(std::vector<ServerGroup> groups, std::vector<VirtualCluster> parts) {
  return {std::move(groups), std::move(parts)};
}

std::vector<Job> jobs_in(const std::vector<std::pair<std::uint32_t, JobSpec>>& specs) {
  std::vector<Job> out;
  for (const auto& [part, spec] : specs) {
    out.push_back(job(spec));
    out.back().virtual_cluster = VirtualClusterId{part};
  }
  return out;
}

TEST(VirtualClusters, AQuotaBoundsWhatRunsAtOnce) {
  // Eight GPUs; a may hold three. Its second job waits for the first, b's starts at once.
  const ClusterSpec spec = divided({servers(1, 8)}, {{.name = "a", .quota = 3}, {.name = "b"}});
  const SimulationResult result =
      run_on(spec, jobs_in({{0, {0, 2, 10}}, {0, {0, 2, 5}}, {0, {0, 1, 5}}, {1, {1, 5, 1}}}));
  EXPECT_EQ(result.jobs[0].start_s, 0);
  EXPECT_EQ(result.jobs[1].start_s, 10);
  EXPECT_EQ(result.jobs[2].start_s, 10);  // behind it in the queue of a
  EXPECT_EQ(result.jobs[3].start_s, 1);
}

TEST(VirtualClusters, EachHasItsOwnQueue) {
  // Four GPUs for all. The head of a does not hold up b; c skips its head.
  const ClusterSpec spec =
      divided({servers(1, 4)}, {{.name = "a"}, {.name = "b"}, {.name = "c", .queue = "fifo-skip"}});
  const SimulationResult result = run_on(spec, jobs_in({{0, {0, 2, 10}},
                                                        {0, {1, 4, 1}},
                                                        {0, {1, 1, 1}},
                                                        {1, {2, 1, 4}},
                                                        {2, {3, 4, 1}},
                                                        {2, {3, 1, 2}}}));
  EXPECT_EQ(result.jobs[3].start_s, 2);
  EXPECT_EQ(result.jobs[5].start_s, 3);
  // At 10 all are free: a comes first in the list.
  EXPECT_EQ(result.jobs[1].start_s, 10);
  EXPECT_EQ(result.jobs[2].start_s, 11);
  EXPECT_EQ(result.jobs[4].start_s, 12);
}

TEST(VirtualClusters, DedicatedServersServeTheirOwn) {
  // Server 0 is everyone's, server 1 is b's.
  const ClusterSpec spec =
      divided({server("V100"), server("V100", "b")}, {{.name = "a"}, {.name = "b"}});
  const SimulationResult result =
      run_on(spec, jobs_in({{0, {0, 4, 10}}, {0, {0, 4, 10}}, {1, {0, 4, 10}}, {1, {20, 4, 1}}}));
  EXPECT_EQ(first_server(result, 0), ServerId{0});
  EXPECT_EQ(result.jobs[1].start_s, 10);
  EXPECT_EQ(first_server(result, 1), ServerId{0});
  EXPECT_EQ(result.jobs[2].start_s, 0);
  EXPECT_EQ(first_server(result, 2), ServerId{1});
  // Servers are tried in the order of their groups.
  EXPECT_EQ(first_server(result, 3), ServerId{0});
}

TEST(VirtualClusters, WhatNeverFitsIsTold) {
  const ClusterSpec spec =
      divided({server("V100"), server("V100", "b")}, {{.name = "a", .quota = 3}, {.name = "b"}});
  const auto found = find_unplaceable(
      spec, jobs_in({{0, {0, 4, 1}}, {0, {0, 3, 1}}, {0, {0, 5, 1}}, {1, {0, 4, 1}}}),
      *policies().make_placement("load-balancing"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].job, JobIndex{0});
  EXPECT_NE(found[0].reason.find("the quota of virtual cluster a is 3 GPUs"), std::string::npos)
      << found[0].reason;
  EXPECT_EQ(found[1].job, JobIndex{2});
  EXPECT_NE(found[1].reason.find("the 4 GPUs on 1 servers that it may use, in virtual cluster a "
                                 "is 4"),
            std::string::npos)
      << found[1].reason;
}

TEST(Resources, SeveralNicsCarryMore) {
  // D = 150 MB/s on NICs of 100: S = 1.5, 10 x (1 + 1.5 x 2); with two of them S = 1.
  const std::vector<Job> one = jobs({{0, 4, 10, 1, 2, 150}});
  EXPECT_DOUBLE_EQ(run_on(cluster(2, 2), one).jobs[0].end_s, 40);
  ClusterSpec two = cluster(2, 2);
  two.groups[0].nics = 2;
  EXPECT_DOUBLE_EQ(run_on(two, one).jobs[0].end_s, 30);
}

TEST(Resources, MemoryIsALimitOfAServer) {
  // 100 MB a server: two workers of 40 MB on each.
  ClusterSpec spec = cluster(2, 8);
  spec.groups[0].memory = 100e6;
  std::vector<Job> one = jobs({{0, 4, 10}, {1, 1, 1}});
  for (Job& each : one) each.request.memory_mb_per_worker = 40;
  const SimulationResult result = run_on(spec, one);
  EXPECT_EQ(result.groups_of(result.jobs[0])[0].workers, 2U);
  EXPECT_EQ(result.jobs[1].start_s, 10);
  one[0].request.workers = 5;
  const auto found = find_unplaceable(spec, one, *policies().make_placement("load-balancing"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].reason.find("and 40 MB of memory each"), std::string::npos);
}

}  // namespace
}  // namespace mosim::test
