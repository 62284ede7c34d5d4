#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mosim/output.hpp"

namespace mosim::test {
namespace {

struct Row {
  const char* user;
  std::uint32_t gpus;
  double submit_s, start_s, end_s;
  double loading_s, iterations, iteration_s;
};

// Jobs as a simulation on `gpu_type` would leave them, none of which was restarted.
Run run_of(const std::vector<Row>& rows) {
  Run run;
  run.cluster.groups = {{.count = 1, .gpus = 8, .gpu = "V100"}};
  for (const Row& row : rows) {
    TraceJob traced;
    traced.id = std::to_string(run.jobs.size());
    traced.user = row.user;
    run.trace.jobs.push_back(traced);
    Job job;
    job.submit_s = row.submit_s;
    job.request.workers = row.gpus;
    job.profile.compute_s = row.iteration_s / 4;
    job.profile.network_s = row.iteration_s * 3 / 4;
    job.profile.loading_s = row.loading_s;
    run.jobs.push_back(job);
    JobResult result;
    result.start_s = row.start_s;
    result.end_s = row.end_s;
    result.loading_s = row.loading_s;
    result.iterations = row.iterations;
    result.service = row.gpus * (row.end_s - row.start_s);
    result.workers = row.gpus;
    run.result.jobs.push_back(result);
  }
  return run;
}

Fairness fairness(const Run& run) { return fairness_of(run, measure_jobs(run)); }

// Alone 100, 200, 5 and 40 s; JCT 200, 200, 20 and 160 s; bounded slowdowns 2, 1, 2 (5 s count as
// 10) and 4; their inverses 1/2, 1, 1/2 and 1/4.
Run four_jobs() {
  return run_of({{"ann", 2, 0, 50, 200, 10, 90, 1},
                 {"bob", 1, 0, 0, 200, 0, 100, 2},
                 {"ann", 4, 10, 20, 30, 0, 10, 0.5},
                 {"", 1, 40, 100, 200, 20, 20, 1}});
}

TEST(Fairness, TheTimeAloneIsLoadingAndIterationsOnTheTypeThatTheJobRanOn) {
  mosim::Run run = four_jobs();
  EXPECT_DOUBLE_EQ(time_alone_s(run.jobs[0], run.result.jobs[0]), 100);
  EXPECT_DOUBLE_EQ(time_alone_s(run.jobs[1], run.result.jobs[1]), 200);
  JobProfile slow = run.jobs[0].profile;
  slow.compute_s = 3;
  slow.loading_s = 30;
  run.jobs[0].by_gpu =
      std::make_shared<std::vector<JobProfile>>(std::vector<JobProfile>{run.jobs[0].profile, slow});
  run.result.jobs[0].gpu_type = GpuTypeId{1};
  EXPECT_DOUBLE_EQ(time_alone_s(run.jobs[0], run.result.jobs[0]), 30 + 90 * 3.75);
  run.jobs[0].longest_loading_s = 7;
  EXPECT_DOUBLE_EQ(time_alone_s(run.jobs[0], run.result.jobs[0]), 7 + 90 * 3.75);
}

TEST(Fairness, SlowdownsAreBounded) {
  EXPECT_DOUBLE_EQ(bounded_slowdown(200, 100), 2);
  EXPECT_DOUBLE_EQ(bounded_slowdown(20, 0.001), 2);  // as if it took 10 s
  EXPECT_DOUBLE_EQ(bounded_slowdown(4, 2), 1);
  EXPECT_DOUBLE_EQ(bounded_slowdown(99, 100), 1);
}

TEST(Fairness, JainsIndex) {
  EXPECT_DOUBLE_EQ(jain_index(std::vector<double>{3, 3, 3}), 1);
  EXPECT_DOUBLE_EQ(jain_index(std::vector<double>{0, 0, 0, 5}), 0.25);
  EXPECT_DOUBLE_EQ(jain_index(std::vector<double>{1, 2, 3}), 36.0 / 42);
  EXPECT_DOUBLE_EQ(jain_index({}), 1);
  EXPECT_DOUBLE_EQ(jain_index(std::vector<double>{0, 0}), 1);
}

TEST(Fairness, OfFourJobs) {
  const Fairness fairness = test::fairness(four_jobs());
  EXPECT_DOUBLE_EQ(fairness.bounded_slowdown.avg, 9.0 / 4);
  EXPECT_DOUBLE_EQ(fairness.bounded_slowdown.median, 2);
  EXPECT_DOUBLE_EQ(fairness.bounded_slowdown.p99, 2 + 0.97 * 2);
  // (1/2 + 1 + 1/2 + 1/4)^2 over 4 (1/4 + 1 + 1/4 + 1/16)
  EXPECT_DOUBLE_EQ(fairness.jain_jobs, 5.0625 / 6.25);
  // ann 1/2, bob 1; the last job is nobody's: (3/2)^2 over 2 (1/4 + 1)
  ASSERT_TRUE(fairness.jain_users);
  EXPECT_DOUBLE_EQ(*fairness.jain_users, 0.9);
  // Held 2 x 150 + 200 + 4 x 10 + 100, of which loading 2 x 10 + 20.
  EXPECT_DOUBLE_EQ(fairness.goodput, 600.0 / 640);
}

TEST(Fairness, OfUsers) {
  const Fairness fairness = test::fairness(four_jobs());
  EXPECT_EQ(fairness.users, 2U);
  ASSERT_EQ(fairness.top_users.size(), 2U);
  const UserSummary& ann = fairness.top_users[0];  // 340 GPU seconds against 200
  EXPECT_EQ(ann.name, "ann");
  EXPECT_EQ(ann.jobs, 2U);
  EXPECT_DOUBLE_EQ(ann.avg_jct_s, (200 + 20) / 2.0);
  EXPECT_DOUBLE_EQ(ann.avg_wait_s, (50 + 10) / 2.0);
  EXPECT_DOUBLE_EQ(ann.gpu_hours, 340.0 / 3600);
  EXPECT_EQ(fairness.top_users[1].name, "bob");
  EXPECT_DOUBLE_EQ(fairness.top_users[1].avg_wait_s, 0);
}

TEST(Fairness, WhatFailuresUndoIsNoGoodput) {
  mosim::Run run = four_jobs();
  JobResult& restarted = run.result.jobs[0];  // 150 s on 2 GPUs
  restarted.restarts = 1;
  restarted.requeued_s = 20;  // of which 20 in the queue again
  restarted.loading_s = 30;
  restarted.lost_s = 40;
  restarted.service = 2 * 130;
  const Fairness fairness = test::fairness(run);
  // Held 2 x 130 + 200 + 40 + 100; kept 2 x (130 - 30 - 40) + 200 + 40 + 80.
  EXPECT_DOUBLE_EQ(fairness.goodput, 440.0 / 600);
  EXPECT_DOUBLE_EQ(fairness.top_users[0].avg_wait_s, (70 + 10) / 2.0);
}

TEST(Fairness, WhatPreemptionsCostIsNoGoodput) {
  mosim::Run run = four_jobs();
  JobResult& preempted = run.result.jobs[0];  // 150 s on 2 GPUs, of which 10 loading
  preempted.preemptions = 1;
  preempted.requeued_s = 20;
  preempted.restart_s = 25;
  preempted.lost_s = 5;
  preempted.service = 2 * 130;
  const Fairness fairness = test::fairness(run);
  // Held 2 x 130 + 200 + 40 + 100; kept 2 x (130 - 10 - 25 - 5) + 200 + 40 + 80.
  EXPECT_DOUBLE_EQ(fairness.goodput, 500.0 / 600);
  EXPECT_EQ(fairness.top_users[0].preemptions, 1U);
  // Nothing of this is in the time alone, which stays 100 s: JCT 200 is a slowdown of 2.
  EXPECT_DOUBLE_EQ(fairness.bounded_slowdown.median, 2);
  const Summary summary = summarize(run);
  EXPECT_EQ(summary.preemptions, 1U);
  EXPECT_DOUBLE_EQ(summary.restart_gpu_s, 50);
  EXPECT_DOUBLE_EQ(summary.lost_gpu_s, 10);
}

TEST(Fairness, AResizedJobCountsTheGpusThatItHeld) {
  mosim::Run run = run_of({{"ann", 4, 0, 0, 100, 20, 80, 1}});
  run.result.jobs[0].service = 4 * 40 + 2 * 60;  // 4 GPUs, then 2: 2.8 on average
  EXPECT_DOUBLE_EQ(gpus_held(run.result.jobs[0]), 2.8);
  EXPECT_DOUBLE_EQ(summarize(run).gpu_utilization, 280.0 / 800);
  const Fairness fairness = test::fairness(run);
  EXPECT_DOUBLE_EQ(fairness.top_users[0].gpu_hours, 280.0 / 3600);
  EXPECT_DOUBLE_EQ(fairness.goodput, 0.8);  // 20 of 100 s loading
}

TEST(Fairness, TenUsersAtMostByGpuTimeThenByName) {
  std::vector<Row> rows;
  const std::vector<const char*> names{"l", "k", "j", "i", "h", "g", "f", "e", "d", "c", "b", "a"};
  for (const char* name : names) rows.push_back({name, 1, 0, 0, 100, 0, 100, 1});
  rows.push_back({"k", 1, 0, 0, 100, 0, 100, 1});
  const Fairness fairness = test::fairness(run_of(rows));
  EXPECT_EQ(fairness.users, 12U);
  ASSERT_EQ(fairness.top_users.size(), 10U);
  EXPECT_EQ(fairness.top_users[0].name, "k");
  EXPECT_EQ(fairness.top_users[1].name, "a");
  EXPECT_EQ(fairness.top_users[9].name, "i");
  EXPECT_DOUBLE_EQ(*fairness.jain_users, 1);
}

TEST(Fairness, StandsAtTheEndOfTheSummary) {
  const auto json = nlohmann::ordered_json::parse(summary_json(summarize(four_jobs()), "scenario"));
  EXPECT_DOUBLE_EQ(json["bounded_slowdown"]["avg"].get<double>(), 9.0 / 4);
  EXPECT_DOUBLE_EQ(json["jain_index"]["users"].get<double>(), 0.9);
  EXPECT_DOUBLE_EQ(json["goodput"].get<double>(), 600.0 / 640);
  EXPECT_EQ(json["users"]["count"], 2);
  EXPECT_EQ(json["users"]["top"][1]["user"], "bob");
  EXPECT_EQ(json.items().begin().key(), "schema_version");
  EXPECT_EQ(std::prev(json.end(), 6).key(), "restart_gpu_s");
}

TEST(Fairness, WithoutNamesThereAreNoUsers) {
  mosim::Run run = four_jobs();
  for (TraceJob& job : run.trace.jobs) job.user.clear();
  const Fairness fairness = test::fairness(run);
  EXPECT_FALSE(fairness.jain_users);
  EXPECT_TRUE(fairness.top_users.empty());
  const auto json = nlohmann::json::parse(summary_json(summarize(run), "scenario"));
  EXPECT_FALSE(json.contains("users"));
  EXPECT_FALSE(json["jain_index"].contains("users"));
}

TEST(Fairness, OfNoJobs) {
  const Fairness fairness = test::fairness(run_of({}));
  EXPECT_DOUBLE_EQ(fairness.bounded_slowdown.avg, 0);
  EXPECT_DOUBLE_EQ(fairness.jain_jobs, 1);
  EXPECT_DOUBLE_EQ(fairness.goodput, 1);
}

}  // namespace
}  // namespace mosim::test
