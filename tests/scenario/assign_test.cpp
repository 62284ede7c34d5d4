// Where the jobs of a trace belong.
#include "scenario/assign.hpp"

#include <gtest/gtest.h>

namespace mosim {
namespace {

Trace trace_of(const std::vector<std::pair<std::string, std::string>>& jobs) {
  Trace trace;
  trace.file = "trace.csv";
  for (const auto& [virtual_cluster, gpu_type] : jobs) {
    TraceJob& job = trace.jobs.emplace_back();
    job.id = std::to_string(trace.jobs.size() - 1);
    job.virtual_cluster = virtual_cluster;
    job.gpu_type = gpu_type;
    job.position = {static_cast<std::uint32_t>(trace.jobs.size()) + 1, 1};
  }
  return trace;
}

Scenario divided() {
  Scenario scenario;
  scenario.virtual_clusters = {{.name = "big", .jobs = {"11cb48", "e13805"}}, {.name = "small"}};
  return scenario;
}

std::string error_of(const Scenario& scenario, Trace trace) {
  try {
    (void)assign_jobs(scenario, trace);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(AssignJobs, ByTheNamesOfTheTrace) {
  Trace trace = trace_of({{"e13805", ""}, {"small", ""}, {"11cb48", ""}});
  const Assignment found = assign_jobs(divided(), trace);
  ASSERT_EQ(found.homes.size(), 3U);
  EXPECT_EQ(found.homes[0].virtual_cluster, VirtualClusterId{0});
  EXPECT_EQ(found.homes[1].virtual_cluster, VirtualClusterId{1});
  EXPECT_EQ(found.homes[2].virtual_cluster, VirtualClusterId{0});
  EXPECT_EQ(found.homes[0].gpu_type, kAnyGpuType);
}

TEST(AssignJobs, WhatNoneTakesIsRefusedDroppedOrGivenAway) {
  Scenario scenario = divided();
  const std::string error = error_of(scenario, trace_of({{"small", ""}, {"smal", ""}}));
  EXPECT_NE(error.find("trace.csv:3:1: job '1' is of virtual cluster 'smal'"), std::string::npos)
      << error;
  EXPECT_NE(error.find("nearest: 'small'"), std::string::npos) << error;
  scenario.unmapped = "drop";
  Trace trace = trace_of({{"other", ""}, {"small", ""}, {"", ""}});
  const Assignment dropped = assign_jobs(scenario, trace);
  EXPECT_EQ(dropped.dropped.size(), 2U);
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(trace.jobs[0].id, "1");
  scenario.unmapped = "big";
  trace = trace_of({{"other", ""}, {"small", ""}});
  EXPECT_EQ(assign_jobs(scenario, trace).homes[0].virtual_cluster, VirtualClusterId{0});
}

TEST(AssignJobs, WithoutVirtualClustersTheirNamesDoNotMatter) {
  Trace trace = trace_of({{"other", ""}, {"", ""}});
  EXPECT_EQ(assign_jobs(Scenario{}, trace).homes.size(), 2U);
}

TEST(AssignJobs, GpuTypesAreIgnoredMatchedOrRequired) {
  Scenario scenario;
  scenario.servers = {ServerGroup{.gpu = "T4"}, ServerGroup{.gpu = "MISC"},
                      ServerGroup{.gpu = "V100"}};
  // By its alias, literally, and not there.
  const std::vector<std::pair<std::string, std::string>> jobs = {
      {"", "V100-SXM2-16GB"}, {"", "MISC"}, {"", "G3"}, {"", ""}};
  const auto types = [&](const std::string& mode) {
    scenario.trace_gpu_type = mode;
    Trace trace = trace_of(jobs);
    std::vector<GpuTypeId> found;
    for (const JobHome& home : assign_jobs(scenario, trace).homes) found.push_back(home.gpu_type);
    return found;
  };
  using Types = std::vector<GpuTypeId>;
  EXPECT_EQ(types("ignore"), (Types{kAnyGpuType, kAnyGpuType, kAnyGpuType, kAnyGpuType}));
  EXPECT_EQ(types("match"), (Types{GpuTypeId{2}, GpuTypeId{1}, kAnyGpuType, kAnyGpuType}));
  scenario.trace_gpu_type = "require";
  const std::string error = error_of(scenario, trace_of(jobs));
  EXPECT_NE(error.find("trace.csv:4:1: job '2' needs GPUs of type 'G3', which the cluster lacks"),
            std::string::npos)
      << error;
  scenario.skip_unplaceable = true;
  EXPECT_EQ(types("require"), (Types{GpuTypeId{2}, GpuTypeId{1}, kAnyGpuType}));
}

TEST(AssignJobs, OfAlternativeGpuTypesTheFirstThatIsThere) {
  Scenario scenario;
  scenario.servers = {ServerGroup{.gpu = "T4"}, ServerGroup{.gpu = "V100M32"}};
  scenario.trace_gpu_type = "require";
  Trace trace = trace_of({{"", "V100M16|V100M32"}, {"", "V100M32|T4"}, {"", "P100 | T4"}});
  const std::vector<JobHome> homes = assign_jobs(scenario, trace).homes;
  ASSERT_EQ(homes.size(), 3U);
  EXPECT_EQ(homes[0].gpu_type, GpuTypeId{1});
  EXPECT_EQ(homes[1].gpu_type, GpuTypeId{1});
  EXPECT_EQ(homes[2].gpu_type, GpuTypeId{0});
}

}  // namespace
}  // namespace mosim
