// What schedulers are told of jobs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mosim/scenario.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// A job that takes 3 + 10 x (0.5 + 0.1) = 9 s alone.
Job nine_seconds(std::uint32_t workers = 1, double volume = 0) {
  Job job;
  job.request.workers = workers;
  job.iterations = 10;
  job.profile = {.compute_s = 0.5, .network_s = 0.1, .volume = volume, .loading_s = 3};
  return job;
}

struct Filled {
  std::vector<Job> jobs;
  std::vector<std::string> unknown;
};

Filled fill(std::vector<TraceJob> trace_jobs, const FactOptions& options = {},
            std::vector<Job> jobs = {}) {
  static const ModelPool pool = read_pool("default");
  jobs.resize(trace_jobs.size(), nine_seconds());
  const Trace trace{.file = "t", .format = "x", .jobs = std::move(trace_jobs)};
  std::vector<std::string> unknown = add_facts(jobs, trace, pool, options);
  return {std::move(jobs), std::move(unknown)};
}

TEST(Facts, NamesAreNumberedInTheOrderOfTheJobs) {
  std::vector<TraceJob> trace(4);
  trace[0].user = "zoe";
  trace[2].user = "ann";
  trace[3].user = "zoe";
  trace[1].virtual_cluster = "b";
  trace[2].virtual_cluster = "a";
  trace[3].model = "bert";
  const std::vector<Job> jobs = fill(trace).jobs;
  const auto numbers = [&](std::uint32_t JobFacts::* fact) {
    std::vector<std::uint32_t> of;
    of.reserve(jobs.size());
    for (const Job& job : jobs) of.push_back(job.facts.*fact);
    return of;
  };
  // No name is a name too.
  EXPECT_EQ(numbers(&JobFacts::user), (std::vector<std::uint32_t>{0, 1, 2, 0}));
  EXPECT_EQ(numbers(&JobFacts::group), (std::vector<std::uint32_t>{0, 1, 2, 0}));
  EXPECT_EQ(numbers(&JobFacts::model), (std::vector<std::uint32_t>{0, 0, 0, 1}));
}

TEST(Facts, TheTraceComesFirst) {
  std::vector<TraceJob> trace(2);
  trace[0].submit_s = trace[1].submit_s = 100;
  trace[1].priority = -2;
  trace[1].estimate_s = 5;
  trace[1].deadline_s = 120;
  const FactOptions options{.estimate_factor = 2, .deadline_factor = 4};
  const std::vector<Job> jobs = fill(trace, options).jobs;
  EXPECT_EQ(jobs[0].facts.priority, 0);
  EXPECT_DOUBLE_EQ(jobs[0].facts.estimate_s, 2 * 9);
  EXPECT_DOUBLE_EQ(jobs[0].facts.deadline_s, 100 + 4 * 9);
  EXPECT_EQ(jobs[1].facts.priority, -2);
  EXPECT_EQ(jobs[1].facts.estimate_s, 5);
  EXPECT_EQ(jobs[1].facts.deadline_s, 120);
  EXPECT_EQ(fill(trace).jobs[0].facts.deadline_s, kNone);
  EXPECT_DOUBLE_EQ(fill(trace).jobs[0].facts.estimate_s, 9);
}

TEST(Facts, EstimatesAreSpreadLogNormally) {
  constexpr std::size_t kJobs = 10000;
  std::vector<TraceJob> trace(kJobs);
  for (std::size_t i = 0; i < kJobs; ++i) trace[i].id = fmt::format("job{}", i);
  const FactOptions options{.estimate_spread = 0.5, .seed = 7};
  const std::vector<Job> jobs = fill(trace, options).jobs;
  double sum = 0;
  double squares = 0;
  for (const Job& job : jobs) {
    const double deviate = std::log(job.facts.estimate_s / 9);
    sum += deviate;
    squares += deviate * deviate;
  }
  const double mean = sum / kJobs;
  // Four standard errors: 0.5 / sqrt(10000) and 0.5 / sqrt(20000).
  EXPECT_NEAR(mean, 0, 0.02);
  EXPECT_NEAR(std::sqrt(squares / kJobs - mean * mean), 0.5, 0.0142);
  // A job's own: by the seed and its id.
  trace.erase(trace.begin(), trace.begin() + 17);
  EXPECT_EQ(fill(trace, options).jobs[0].facts.estimate_s, jobs[17].facts.estimate_s);
  EXPECT_NE(fill(trace, {.estimate_spread = 0.5, .seed = 8}).jobs[0].facts.estimate_s,
            jobs[17].facts.estimate_s);
}

TEST(Facts, SkewAndCheckpointsComeFromTheLayers) {
  std::vector<TraceJob> trace(1);
  trace[0].model = "vgg16";
  const std::vector<Job> jobs = fill(trace).jobs;
  // VGG-16 has 138,357,544 parameters; its first linear layer is 25088 x 4096 of them.
  EXPECT_DOUBLE_EQ(jobs[0].facts.skew, 25088.0 * 4096 / 138357544);
  EXPECT_DOUBLE_EQ(jobs[0].facts.checkpoint_bytes, 138357544.0 * 12);
}

TEST(Facts, OtherModelsAreAsLargeAsTheGradientsThatTheirJobsSend) {
  std::vector<TraceJob> trace(3);
  trace[0].model = trace[1].model = "ours";
  trace[2].model = "theirs";
  // 2 x 3/4 x 100 MB by each of 4 workers: 25 million parameters.
  const Filled filled = fill(trace, {}, {nine_seconds(), nine_seconds(4, 150e6), nine_seconds()});
  EXPECT_DOUBLE_EQ(filled.jobs[0].facts.checkpoint_bytes, 300e6);
  EXPECT_DOUBLE_EQ(filled.jobs[1].facts.checkpoint_bytes, 300e6);
  EXPECT_EQ(filled.jobs[0].facts.skew, 0);
  EXPECT_EQ(filled.jobs[2].facts.checkpoint_bytes, 0);
  EXPECT_EQ(filled.unknown, std::vector<std::string>{"theirs"});
}

// --- through a scenario ---

constexpr const char* kTrace =
    "job_id,model,arrival_time,duration,gpu_workers,estimate_s,priority\n"
    "a,bert,0,100,2,50,3\nb,bert,10,200,2,,\n";

Scenario scenario_of(const std::string& trace, std::vector<Override> overrides) {
  overrides.push_back({"trace.file", trace, "--set"});
  return load_scenario("", overrides);
}

TEST(Facts, ReachTheJobsOfARun) {
  const test::TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", kTrace);
  const PreparedRun run =
      prepare(scenario_of(trace, {parse_override("scheduler.estimate_factor=1.5"),
                                  parse_override("scheduler.deadline_factor=2"),
                                  parse_override("preemption.bytes_per_parameter=2")}));
  EXPECT_EQ(run.jobs[0].facts.estimate_s, 50);
  EXPECT_EQ(run.jobs[0].facts.priority, 3);
  EXPECT_DOUBLE_EQ(run.jobs[1].facts.estimate_s, 300);
  EXPECT_DOUBLE_EQ(run.jobs[1].facts.deadline_s, 410);
  EXPECT_DOUBLE_EQ(run.jobs[1].facts.checkpoint_bytes,
                   2 * read_pool("default").find("bert")->parameters);
}

TEST(Facts, CountInTheDigestOnlyWhereTheyMatter) {
  const test::TemporaryFolder folder;
  const auto digest = [&](const char* content, std::vector<Override> overrides = {}) {
    return prepare(scenario_of(folder.write("t.csv", content), std::move(overrides))).digest;
  };
  constexpr const char* kPlain =
      "job_id,model,arrival_time,duration,gpu_workers\na,bert,0,100,2\nb,bert,10,200,2\n";
  // fifo cannot tell the two traces apart.
  EXPECT_EQ(digest(kTrace), digest(kPlain));
  const Override storage = parse_override("preemption.storage=1 GB/s");
  EXPECT_NE(digest(kTrace, {storage}), digest(kPlain, {storage}));
  EXPECT_NE(digest(kPlain, {parse_override("preemption.save=1s")}), digest(kPlain));
  EXPECT_EQ(digest(kPlain, {parse_override("preemption.save=0s")}), digest(kPlain));
}

// A user's policy that gives the only job twice its workers at 50 s.
class DoublesTheJob : public Policy {
 public:
  void decide(Scheduler& scheduler) override {
    if (scheduler.now_s() == 0) {
      ASSERT_TRUE(scheduler.try_start(JobIndex{0}));
      EXPECT_TRUE(scheduler.may_resize(JobIndex{0}, 4));
      EXPECT_FALSE(scheduler.may_resize(JobIndex{0}, 8));
      scheduler.wake_at(50);
    } else if (scheduler.now_s() == 50) {
      scheduler.resize(JobIndex{0}, std::vector<WorkerGroup>{{ServerId{0}, 4}});
    }
  }
};

TEST(Facts, PoliciesResizeJobsByTheScenariosProfiles) {
  policies().add_queue({{.name = "doubles-the-job"},
                        [](const PolicySetup&) { return std::make_unique<DoublesTheJob>(); }});
  const test::TemporaryFolder folder;
  const std::string profiles = folder.write(
      "p.csv",
      "model,gpus,compute_s,network_s,volume_MB\nours,2,0.5,0.5,100\nours,4,0.5,1.0,150\n");
  const Scenario scenario = scenario_of(
      folder.write("t.csv", "job_id,model,arrival_time,duration,gpu_workers\na,ours,0,100,2\n"),
      {{"profile.table", profiles, "--set"},
       parse_override("profile.backend=table"),
       parse_override("contention.model=none"),
       parse_override("preemption.storage=1.2 GB/s"),
       parse_override("preemption.save=4s"),
       parse_override("scheduler.queue=doubles-the-job")});
  // 50 of 100 iterations of 1 s are left: 25 of 1.5 s. 100 MB of gradients are 25 million
  // parameters, whose 300 MB take 0.25 s each way; saving takes 4 s more.
  const SimulationResult result = simulate(scenario, prepare(scenario)).result;
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 50 + 4 + 2 * 0.25 + 25 * 1.5);
  EXPECT_EQ(result.jobs[0].workers, 4U);
}

}  // namespace
}  // namespace mosim
