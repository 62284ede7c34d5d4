#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mosim/output.hpp"
#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

mosim::Run run_all(const ClusterSpec& spec, const std::vector<Job>& jobs,
                   const std::vector<ActivePolicy>& queues, const SimulationOptions& options = {},
                   const std::string& placement = "bin-packing") {
  mosim::Run run;
  run.cluster = spec;
  run.jobs = jobs;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    TraceJob traced;
    traced.id = std::to_string(i);
    run.trace.jobs.push_back(traced);
  }
  run.result = simulate(spec, jobs, queues, *policies().make_placement(placement), options);
  return run;
}

mosim::Run run_all(const ClusterSpec& spec, const std::vector<Job>& jobs, const std::string& queue,
                   const std::string& placement = "bin-packing") {
  return run_all(spec, jobs, queues_for(spec, queue), {}, placement);
}

void expect_waits(const JobMeasures& measures, double capacity_s, double placement_s) {
  EXPECT_DOUBLE_EQ(measures.capacity_wait_s, capacity_s);
  EXPECT_DOUBLE_EQ(measures.placement_wait_s, placement_s);
}

TEST(Waits, ForGpusAndForAPlace) {
  // 4 GPUs. Job 0 holds 3 to 100; job 1 wants 2 from 10 on: one is free, so it waits for GPUs to
  // 100. Job 2 wants 1 from 20 on, which is free, but stands behind job 1: it waits for a place.
  const mosim::Run run =
      run_all(cluster(1, 4), jobs({{0, 3, 100}, {10, 2, 50}, {20, 1, 30}}), "fifo");
  const auto measures = measure_jobs(run);
  expect_waits(measures[0], 0, 0);
  expect_waits(measures[1], 90, 0);
  expect_waits(measures[2], 0, 80);
  const Summary summary = summarize(run);
  EXPECT_DOUBLE_EQ(summary.capacity_wait.avg, 30);
  EXPECT_DOUBLE_EQ(summary.placement_wait.avg, 80.0 / 3);
}

TEST(Waits, FragmentationIsAWaitForAPlace) {
  // Two servers of 2. Jobs 0 and 1 end at 100 and 40 and take a GPU of each server: job 2, which
  // has to be on one server, sees 2 free GPUs from 5 on, and has a server at 40. Before, job 3
  // holds one of them until 12: 7 s for GPUs, 28 s for a place.
  std::vector<Job> four = jobs({{0, 1, 100}, {0, 1, 40}, {2, 1, 10}, {5, 2, 10}});
  const mosim::Run run = run_all(cluster(2, 2), four, "fifo", "load-balancing");
  // With load balancing its workers may be apart: it starts as soon as two GPUs are free.
  expect_waits(measure_jobs(run)[3], 7, 0);
  four[3].request.workers = 1;
  four[3].request.gpus_per_worker = 2;
  expect_waits(measure_jobs(run_all(cluster(2, 2), four, "fifo", "load-balancing"))[3], 7, 28);
}

TEST(Waits, OnlyTheServersThatTheJobMayUseCount) {
  ClusterSpec spec{{servers(1, 4), servers(1, 4)}};
  spec.groups[1].gpu = "T4";
  std::vector<Job> two = jobs({{0, 4, 50}, {10, 2, 5}});
  for (Job& job : two) job.request.gpu_type = GpuTypeId{1};
  expect_waits(measure_jobs(run_all(spec, two, "fifo"))[1], 40, 0);
}

TEST(Waits, AQuotaIsCapacity) {
  ClusterSpec spec = cluster(1, 4);
  spec.virtual_clusters = {{.name = "prod", .quota = 2}};
  expect_waits(measure_jobs(run_all(spec, jobs({{0, 2, 50}, {10, 1, 5}}), "fifo"))[1], 40, 0);
}

// Preempts job 0 at 10 and lets it wait with all GPUs free until 30; then job 1 runs.
class Interrupter : public Policy {
 public:
  void decide(Scheduler& scheduler) override {
    const JobIndex first{0};
    const double now_s = scheduler.now_s();
    if (now_s == 0) scheduler.try_start(first, 0);
    if (now_s == 10) scheduler.preempt(first);
    if (now_s == 30) scheduler.try_start(JobIndex{1}, 0);
    if (now_s >= 50 && scheduler.job(first).stage() == JobStage::waiting) {
      scheduler.try_start(first, 0);
    }
    if (now_s < 10) scheduler.wake_at(10);
    if (now_s >= 10 && now_s < 30) scheduler.wake_at(30);
  }
};

mosim::Run interrupted() {
  // 4 GPUs. Job 0 has 40 s of work on all of them and runs from 0 to 10; job 1 from 30 to 50 on 2.
  // Job 0 goes on at 50, reads its checkpoint for 6 s (3 s were to write it, paid then too: 9 s in
  // all) and ends at 50 + 9 + 30 = 89.
  SimulationOptions options;
  options.preemption.save_s = 3;
  options.preemption.restore_s = 6;
  return run_all(cluster(1, 4), jobs({{0, 4, 40}, {0, 2, 20}}), {policy<Interrupter>()}, options);
}

TEST(Waits, AfterAPreemptionCountToo) {
  const mosim::Run run = interrupted();
  ASSERT_EQ(run.result.jobs[0].end_s, 89);
  const auto measures = measure_jobs(run);
  // From 10 to 30 all are free, from 30 to 50 two.
  expect_waits(measures[0], 20, 20);
  // From 0 to 10 none is free, then all.
  expect_waits(measures[1], 10, 20);
}

TEST(Summary, OfAPreemptedJob) {
  const mosim::Run run = interrupted();
  const Summary summary = summarize(run);
  EXPECT_EQ(summary.preemptions, 1U);
  EXPECT_EQ(summary.moves, 0U);
  EXPECT_DOUBLE_EQ(summary.restart_gpu_s, 4 * 9);
  EXPECT_DOUBLE_EQ(summary.lost_gpu_s, 0);
  // Held 4 x (10 + 39) + 2 x 20 of 4 x 89; computing but 9 s of it.
  EXPECT_DOUBLE_EQ(summary.gpu_utilization, 236.0 / 356);
  EXPECT_DOUBLE_EQ(summary.gpu_computing, 200.0 / 356);
  EXPECT_DOUBLE_EQ(summary.fairness.goodput, 200.0 / 236);
  // Free: 4 from 10 to 30, 2 from 30 to 50, these beside the 2 in use.
  EXPECT_DOUBLE_EQ(summary.fragmentation, 40.0 / 120);
  // Slowdowns 89 / 40 and 50 / 20.
  EXPECT_DOUBLE_EQ(summary.fairness.bounded_slowdown.avg, (2.225 + 2.5) / 2);
}

TEST(Tables, OfAPreemptedJob) {
  const mosim::Run run = interrupted();
  EXPECT_EQ(attempts_csv(run),
            "job_id,start_s,end_s,how,gpus,servers\n"
            "0,0,10,preempted,4,0:4\n");
  // n = (2 x 50 + 39) / 89 of 4 GPUs; 40 s x 4 / (4 / n) = 40 n: rho = 89^2 / (40 x 139).
  const std::string jobs = jobs_csv(run, measure_jobs(run));
  const std::string rho = std::to_string(89.0 * 89 / (40 * 139)).substr(0, 6);
  EXPECT_NE(jobs.find(",1,0,9,20,20," + rho), std::string::npos) << jobs;
  EXPECT_NE(timeline_csv(run).find("\n10,0,2,0,4,4,0\n30,1,1,2,4,2,2\n50,1,0,4,4,0,0\n"),
            std::string::npos)
      << timeline_csv(run);
}

TEST(Tables, NoAttemptsNoTable) {
  EXPECT_EQ(attempts_csv(run_all(cluster(1, 4), jobs({{0, 1, 10}}), "fifo")), "");
}

TEST(Rho, IsTheJctOverTheTimeOnAShareOfTheCluster) {
  // 4 GPUs. Job 0 holds all of them for 100 s; job 1 comes at 20, waits for 80 s and takes 60.
  // During the life of job 0 there are (20 + 2 x 80) / 100 = 1.8 jobs: a share of 4 / 1.8 GPUs, of
  // which 4 x 1.8 / 4 are asked: 180 s. Job 1: (2 x 80 + 60) / 140 = 11/7 jobs, and its 2 GPUs are
  // fewer than 28/11: its share would take 60 s.
  const mosim::Run run = run_all(cluster(1, 4), jobs({{0, 4, 100}, {20, 2, 60}}), "fifo");
  const std::vector<double> rhos = finish_time_fairness(run);
  EXPECT_DOUBLE_EQ(rhos[0], 100 / 180.0);
  EXPECT_DOUBLE_EQ(rhos[1], 140 / 60.0);
  const RhoSummary rho = summarize(run).fairness.rho;
  EXPECT_DOUBLE_EQ(rho.jobs.avg, (100 / 180.0 + 140 / 60.0) / 2);
  EXPECT_DOUBLE_EQ(rho.max, 140 / 60.0);
  EXPECT_DOUBLE_EQ(rho.above_one, 0.5);
}

TEST(Rho, OfAJobThatMeetsNobodyIsOne) {
  const mosim::Run run = run_all(cluster(1, 4), jobs({{0.1, 4, 100}, {300.7, 3, 60}}), "fifo");
  for (const double rho : finish_time_fairness(run)) EXPECT_NEAR(rho, 1, 1e-12);
  EXPECT_EQ(summarize(run).fairness.rho.above_one, 0);
}

TEST(Rho, OfAJobWithoutWorkIsOne) {
  EXPECT_EQ(finish_time_fairness(run_all(cluster(1, 4), jobs({{5, 4, 0}}), "fifo")),
            (std::vector<double>{1}));
}

TEST(Summary, OfVirtualClusters) {
  ClusterSpec spec = cluster(1, 4);
  spec.virtual_clusters = {{.name = "a"}, {.name = "b", .quota = 2}};
  std::vector<Job> three = jobs({{0, 2, 100}, {0, 2, 100}, {50, 2, 50}});
  three[1].virtual_cluster = three[2].virtual_cluster = VirtualClusterId{1};
  const mosim::Run run = run_all(spec, three, "fifo");
  const Summary summary = summarize(run);
  EXPECT_DOUBLE_EQ(summary.virtual_clusters[0].gpu_hours, 200.0 / 3600);
  EXPECT_DOUBLE_EQ(summary.virtual_clusters[1].gpu_hours, 300.0 / 3600);
  EXPECT_EQ(summary.virtual_clusters[1].preemptions, 0U);
  // Job 1: 2.5 jobs, a share of 1.6 GPUs for its 2: 125 s. Job 2, 50 to 150: 2 jobs, 50 s.
  EXPECT_DOUBLE_EQ(summary.virtual_clusters[1].avg_rho, (100 / 125.0 + 100 / 50.0) / 2);
  const auto json = nlohmann::json::parse(summary_json(summary, "scenario"));
  EXPECT_DOUBLE_EQ(json["virtual_clusters"]["b"]["avg_rho"].get<double>(), 1.4);
  EXPECT_DOUBLE_EQ(json["virtual_clusters"]["a"]["gpu_hours"].get<double>(), 200.0 / 3600);
}

TEST(Fragmentation, OfTypesThatMixCountsEachServerOnce) {
  ClusterSpec spec{{servers(1, 4), servers(1, 4)}};
  spec.groups[1].gpu = "T4";
  SimulationOptions options;
  options.mix_gpu_types = true;
  // 3 of 4 GPUs of the first server are free beside the job, 4 of the second: 3 / 7.
  std::vector<Job> one = jobs({{0, 1, 10}});
  const mosim::Run run = run_all(spec, one, queues_for(spec, "fifo"), options);
  EXPECT_EQ(run.result.timeline[0].gpus_free, 7U);
  EXPECT_DOUBLE_EQ(summarize(run).fragmentation, 3.0 / 7);
}

}  // namespace
}  // namespace mosim::test
