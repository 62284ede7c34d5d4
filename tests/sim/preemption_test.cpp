// What preempting, moving and resizing jobs costs, by hand: one time line per test.
#include <gtest/gtest.h>

#include <functional>

#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

constexpr JobIndex kJob{0};
constexpr ServerId kFirst{0};
constexpr ServerId kSecond{1};

struct Step {
  double at_s = 0;
  std::function<void(Scheduler&)> act;
};

// Does what it is told, when it is told.
class Script : public Policy {
 public:
  explicit Script(std::vector<Step> steps) : steps_(std::move(steps)) {}

  void decide(Scheduler& scheduler) override {
    while (next_ < steps_.size() && steps_[next_].at_s <= scheduler.now_s()) {
      steps_[next_++].act(scheduler);
    }
    if (next_ < steps_.size()) scheduler.wake_at(steps_[next_].at_s);
  }

 private:
  std::vector<Step> steps_;
  std::size_t next_ = 0;
};

Step start_at(double at_s) {
  return {at_s, [](Scheduler& scheduler) { EXPECT_TRUE(scheduler.try_start(kJob)); }};
}

Step preempt_at(double at_s) {
  return {at_s, [](Scheduler& scheduler) { scheduler.preempt(kJob); }};
}

Step resize_at(double at_s, std::vector<WorkerGroup> to) {
  return {at_s, [to = std::move(to)](Scheduler& scheduler) { scheduler.resize(kJob, to); }};
}

SimulationResult play(const ClusterSpec& spec, const Job& job, std::vector<Step> steps,
                      const SimulationOptions& options = {}) {
  return simulate(spec, std::vector{job}, policy<Script>(std::move(steps)),
                  *policies().make_placement("bin-packing"), options);
}

std::string refusal(const ClusterSpec& spec, const Job& job, std::vector<Step> steps,
                    const SimulationOptions& options = {}) {
  try {
    static_cast<void>(play(spec, job, std::move(steps), options));
  } catch (const InvalidAction& error) {
    return error.what();
  }
  return "no refusal";
}

// 100 iterations of 1 s on 4 GPUs after 4 s of loading; a checkpoint of 10 MB.
Job long_job() {
  Job one = job({0, 4, 100, 1, 0, 0, 4});
  one.facts.checkpoint_bytes = 10e6;
  return one;
}

// Saving takes 2 s, restoring 3 s, and a checkpoint's bytes 2 s each way.
SimulationOptions costly() {
  SimulationOptions options;
  options.preemption = {.save_s = 2, .restore_s = 3, .storage_bandwidth = 5e6};
  return options;
}

TEST(Preemption, IsPaidWhenTheJobStartsAgain) {
  //   t =   4  training begins
  //   t =  34  preempted: 30 iterations are done
  //   t =  50  saving 2 + 2, restoring 3 + 2, loading 4
  //   t =  63  training goes on
  //   t = 133  63 + 70 x 1
  const SimulationResult result =
      play(cluster(1, 4), long_job(), {start_at(0), preempt_at(34), start_at(50)}, costly());
  const JobResult& one = result.jobs[0];
  EXPECT_DOUBLE_EQ(one.end_s, 133);
  EXPECT_DOUBLE_EQ(one.restart_s, 9);
  EXPECT_DOUBLE_EQ(one.loading_s, 8);
  EXPECT_DOUBLE_EQ(one.compute_s, 100);
  EXPECT_DOUBLE_EQ(one.requeued_s, 16);
  EXPECT_DOUBLE_EQ(one.service, 4 * (34 + 83.0));
  EXPECT_EQ(one.lost_s, 0);
  EXPECT_EQ(one.preemptions, 1U);
  EXPECT_EQ(one.moves, 0U);
  ASSERT_EQ(result.earlier_attempts.size(), 1U);
  EXPECT_EQ(result.earlier_attempts[0].end, AttemptEnd::preempted);
  EXPECT_EQ(result.earlier_attempts[0].end_s, 34);
}

TEST(Preemption, AJobThatOnlyLoadedHasNothingToSave) {
  // Preempted at 3 while it loads; from 10 it loads for 4 and trains for 100.
  const SimulationResult result =
      play(cluster(1, 4), long_job(), {start_at(0), preempt_at(3), start_at(10)}, costly());
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 114);
  EXPECT_EQ(result.jobs[0].restart_s, 0);
  EXPECT_DOUBLE_EQ(result.jobs[0].loading_s, 7);
}

TEST(Preemption, AJobThatRestoresHasNothingNewToSave) {
  //   t =  34  preempted with 70 iterations left; starts again at 50
  //   t =  55  preempted again, after 5 of 9 s of saving and restoring
  //   t =  60  restoring 3 + 2, loading 4
  //   t = 139  69 + 70
  const SimulationResult result =
      play(cluster(1, 4), long_job(),
           {start_at(0), preempt_at(34), start_at(50), preempt_at(55), start_at(60)}, costly());
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 139);
  EXPECT_DOUBLE_EQ(result.jobs[0].restart_s, 10);
  EXPECT_DOUBLE_EQ(result.jobs[0].loading_s, 8);
  EXPECT_EQ(result.jobs[0].preemptions, 2U);
}

TEST(Preemption, IsNothingWhenTheJobIsPutBackAtOnce) {
  const Step back{34, [](Scheduler& scheduler) {
                    scheduler.preempt(kJob);
                    EXPECT_TRUE(scheduler.try_resume(kJob));
                  }};
  const SimulationResult result = play(cluster(1, 4), long_job(), {start_at(0), back}, costly());
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 104);
  EXPECT_EQ(result.jobs[0].preemptions, 0U);
  EXPECT_TRUE(result.earlier_attempts.empty());
}

TEST(Preemption, IsRefusedBeforeTheMinimumRunTime) {
  SimulationOptions options;
  options.preemption.min_run_s = 10;
  const auto may_at = [](double at_s, bool may) {
    return Step{at_s, [may](Scheduler& scheduler) { EXPECT_EQ(scheduler.may_preempt(kJob), may); }};
  };
  // Started at 5: it may be preempted from 15 on.
  EXPECT_EQ(
      refusal(cluster(1, 4), long_job(), {start_at(5), may_at(14, false), preempt_at(14)}, options),
      "policy 'test' at 14 s: the preemption of job 0 is refused: it has not run for "
      "preemption.min_run yet");
  EXPECT_EQ(refusal(cluster(1, 4), long_job(),
                    {start_at(5), may_at(15, true), preempt_at(15), start_at(20)}, options),
            "no refusal");
}

TEST(Preemption, AFailureAfterItFallsBackToWhatWasSaved) {
  // Checkpoints every 10 s of training; restoring takes 3 s, saving and loading none.
  //   t =  25  preempted: 25 done and saved
  //   t =  30  starts again; trains from 33
  //   t =  37  its server fails: 4 s are lost, not 4 + 5
  //   t =  41  starts again; trains from 44
  //   t = 119  44 + 75
  SimulationOptions options;
  options.preemption.restore_s = 3;
  options.availability.checkpoint_interval_s = 10;
  options.availability.events = {{37, kFirst, kFirst, ServerChange::fail},
                                 {40, kFirst, kFirst, ServerChange::repair}};
  const SimulationResult result =
      play(cluster(1, 4), job({0, 4, 100}),
           {start_at(0), preempt_at(25), start_at(30), start_at(41)}, options);
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 119);
  EXPECT_DOUBLE_EQ(result.jobs[0].lost_s, 4);
  EXPECT_DOUBLE_EQ(result.jobs[0].restart_s, 6);
  EXPECT_EQ(result.jobs[0].preemptions, 1U);
  EXPECT_EQ(result.jobs[0].restarts, 1U);
}

TEST(Preemption, LosesTheIterationUnderWayAtPhaseResolution) {
  // 10 iterations of 1 + 1 s over two servers; preempted at 5.5, started again at 10.
  const auto run = [](Resolution resolution) {
    SimulationOptions options;
    options.contention.resolution = resolution;
    return play(cluster(2, 2), job({0, 4, 10, 1, 1, 100}),
                {start_at(0), preempt_at(5.5), start_at(10)}, options);
  };
  // 2 iterations are done, 1.5 s of the third are lost: 10 + 8 x 2.
  const SimulationResult phase = run(Resolution::phase);
  EXPECT_DOUBLE_EQ(phase.jobs[0].end_s, 26);
  EXPECT_DOUBLE_EQ(phase.jobs[0].lost_s, 1.5);
  // 2.75 are done: 10 + 7.25 x 2.
  const SimulationResult event = run(Resolution::event);
  EXPECT_DOUBLE_EQ(event.jobs[0].end_s, 24.5);
  EXPECT_EQ(event.jobs[0].lost_s, 0);
}

TEST(Migration, PaysWithoutWaiting) {
  //   t =  14  10 iterations are done; from here saving 4, restoring 5, loading 4
  //   t = 117  27 + 90
  const Step move{14, [](Scheduler& scheduler) {
                    scheduler.migrate(kJob, std::vector<WorkerGroup>{{kSecond, 4}});
                  }};
  const SimulationResult result = play(cluster(2, 4), long_job(), {start_at(0), move}, costly());
  const JobResult& one = result.jobs[0];
  EXPECT_DOUBLE_EQ(one.end_s, 117);
  EXPECT_DOUBLE_EQ(one.restart_s, 9);
  EXPECT_EQ(one.requeued_s, 0);
  EXPECT_EQ(one.moves, 1U);
  EXPECT_EQ(one.preemptions, 0U);
  ASSERT_EQ(result.groups_of(one).size(), 1U);
  EXPECT_EQ(result.groups_of(one)[0], (WorkerGroup{kSecond, 4}));
}

// On any number of workers but 1: 1 s of computing and 0.5 s of networking.
SimulationOptions resizable() {
  SimulationOptions options;
  options.scaled_profile = [](JobIndex, GpuTypeId, std::uint32_t workers) {
    const JobProfile profile{.compute_s = 1, .network_s = 0.5};
    return workers > 1 ? std::optional(profile) : std::nullopt;
  };
  return options;
}

TEST(Resizing, KeepsTheSamplesThatAreLeft) {
  // 100 iterations of 1 s on 2 workers. At 20 it gets 4: the samples of the 80 that are left are 40
  // iterations of 1.5 s.
  const SimulationResult result = play(cluster(1, 4), job({0, 2, 100}),
                                       {start_at(0), resize_at(20, {{kFirst, 4}})}, resizable());
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 80);
  EXPECT_EQ(result.jobs[0].workers, 4U);
  EXPECT_EQ(result.jobs[0].moves, 1U);
  EXPECT_DOUBLE_EQ(result.jobs[0].service, 20 * 2 + 60 * 4);
}

TEST(Resizing, AndBackAgain) {
  // At 50 the 4 workers have done 20 of their 40 iterations, which leaves 40 of 2 workers.
  const SimulationResult result =
      play(cluster(1, 4), job({0, 2, 100}),
           {start_at(0), resize_at(20, {{kFirst, 4}}), resize_at(50, {{kFirst, 2}})}, resizable());
  EXPECT_DOUBLE_EQ(result.jobs[0].end_s, 90);
  EXPECT_EQ(result.jobs[0].moves, 2U);
}

TEST(Resizing, IsRefusedWithoutAProfile) {
  const std::vector<Step> steps{start_at(0), resize_at(20, {{kFirst, 1}})};
  const std::string expected =
      "policy 'test' at 20 s: the resizing of job 0 is refused: it has no profile on 1 workers";
  EXPECT_EQ(refusal(cluster(1, 4), job({0, 2, 100}), steps, resizable()), expected);
  EXPECT_EQ(refusal(cluster(1, 4), job({0, 2, 100}), steps), expected);
}

TEST(Resizing, StaysWithinTheQuota) {
  ClusterSpec spec = cluster(1, 8);
  spec.virtual_clusters = {{.name = "a", .quota = 4}};
  // Its own 2 GPUs count as free: 4 of 4 are allowed.
  EXPECT_EQ(
      refusal(spec, job({0, 2, 100}), {start_at(0), resize_at(20, {{kFirst, 4}})}, resizable()),
      "no refusal");
  EXPECT_EQ(
      refusal(spec, job({0, 2, 100}), {start_at(0), resize_at(20, {{kFirst, 5}})}, resizable()),
      "policy 'test' at 20 s: the resizing of job 0 is refused: its virtual cluster has no "
      "quota left for it");
}

}  // namespace
}  // namespace mosim::test
