// Backfilling by hand, through the engine: when each job starts.
#include "schedule/backfilling.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// A job of `time_s` whose user expects `estimate_s`; 0: the same.
Job timed(double submit_s, std::uint32_t gpus, double time_s, double estimate_s = 0) {
  Job one = job({submit_s, gpus, time_s});
  one.facts.estimate_s = estimate_s > 0 ? estimate_s : time_s;
  return one;
}

std::vector<double> starts(const std::string& queue, const std::vector<Job>& jobs,
                           const ClusterSpec& spec = cluster(1, 4),
                           const SimulationOptions& options = {}) {
  std::vector<double> out;
  for (const JobResult& one : run_on(spec, jobs, options, queue).jobs) out.push_back(one.start_s);
  return out;
}

using Times = std::vector<double>;

TEST(Easy, JobsThatEndBeforeTheHeadStartsGoFirst) {
  // 4 GPUs. A has 3 of them until 10, when B can start on all 4.
  //   t =  2  C takes the last GPU until 10, which does not delay B
  //   t =  3  D would take it until 23: it waits
  //   t = 10  B; 15  D
  EXPECT_EQ(starts("easy", {timed(0, 3, 10), timed(1, 4, 5), timed(2, 1, 8), timed(3, 1, 20)}),
            (Times{0, 10, 2, 15}));
}

TEST(Easy, JobsThatTakeWhatTheHeadLeavesOverGoFirst) {
  // At 10 B needs 3 of 4 GPUs: one is left over for C, and none for D.
  //   t = 2  C starts and runs until 22; t = 10  B; t = 15  D on two of the 3 that B gives back
  EXPECT_EQ(starts("easy", {timed(0, 3, 10), timed(1, 3, 5), timed(2, 1, 20), timed(3, 2, 20)}),
            (Times{0, 10, 2, 15}));
}

TEST(Easy, GoesByEstimates) {
  // A runs for 10 s. Its user expects 10: at 6 C, of 3 s, can end before B starts.
  const auto with = [](double estimate_s) {
    return starts("easy", {timed(0, 3, 10, estimate_s), timed(1, 4, 5), timed(6, 1, 3)});
  };
  EXPECT_EQ(with(10), (Times{0, 10, 6}));
  // Its user expected 5: at 6 it is about to end at any time, so C waits for B.
  EXPECT_EQ(with(5), (Times{0, 10, 15}));
  // A user of C's who expects 5 s does not get it through before 10.
  EXPECT_EQ(starts("easy", {timed(0, 3, 10), timed(1, 4, 5), timed(6, 1, 3, 5)}),
            (Times{0, 10, 15}));
}

TEST(Easy, JobsOverTheirEstimatesDoNotMakeTheHeadStarve) {
  // A and B, which were expected to take 1 s, have a GPU each until 10 and 20. C needs 3 of 4.
  //   t =  5  two are free and A's makes three: nothing is left over for D, of 100 s
  //   t = 10  C
  //   t = 15  D
  // Were B's GPU counted too, D would start at 5, and C not before 20.
  EXPECT_EQ(
      starts("easy", {timed(0, 1, 10, 1), timed(0, 1, 20, 1), timed(4, 3, 5), timed(5, 1, 100)}),
      (Times{0, 0, 10, 15}));
}

TEST(Easy, AQuotaBoundsTheReservationToo) {
  // 4 GPUs, a quota of 3. A has 2 until 10, B waits for 2 of the quota.
  //   t =  2  C takes the third: at 10 the quota has room for it and B
  //   t = 10  B; D gets the quota that B gives back at 15
  ClusterSpec spec = cluster(1, 4);
  spec.virtual_clusters = {{.name = "a", .quota = 3}};
  const std::vector<Job> jobs{timed(0, 2, 10), timed(1, 2, 5), timed(2, 1, 100), timed(3, 1, 1)};
  EXPECT_EQ(starts("easy", jobs, spec), (Times{0, 10, 2, 15}));
  EXPECT_EQ(starts("conservative", jobs, spec), (Times{0, 10, 2, 15}));
}

TEST(Easy, AReservationIsInOnePool) {
  // Two servers of 4 GPUs of different types: A and B have 3 each, until 10 and 20.
  //   t = 2  C needs 4 of one type: the first at 10
  //   t = 3  D would outlast that, but there is a GPU left of the second type
  ServerGroup other = servers(1, 4);
  other.gpu = "A100-SXM4-40GB";
  const ClusterSpec spec{{servers(1, 4), other}};
  std::vector<Job> jobs{timed(0, 3, 10), timed(1, 3, 19), timed(2, 4, 5), timed(3, 1, 50),
                        timed(4, 1, 50)};
  jobs[3].request.gpu_type = GpuTypeId{1};
  // E, which may run on any, finds the second type full and is in C's way on the first.
  EXPECT_EQ(starts("easy", jobs, spec), (Times{0, 1, 10, 3, 15}));
  EXPECT_EQ(starts("conservative", jobs, spec), (Times{0, 1, 10, 3, 15}));
}

TEST(Conservative, DelaysNoJobThatWaits) {
  // 4 GPUs. A has 2 until 10; B gets 3 then, C all 4 at 20. D takes one for 30 s.
  const std::vector<Job> jobs{timed(0, 2, 10), timed(1, 3, 10), timed(2, 4, 10), timed(3, 1, 30)};
  // B leaves one GPU over: EASY gives it to D, and C waits until 33.
  EXPECT_EQ(starts("easy", jobs), (Times{0, 10, 33, 3}));
  EXPECT_EQ(starts("conservative", jobs), (Times{0, 10, 20, 30}));
}

TEST(Conservative, PlansAsManyJobsAsItIsTold) {
  // D, of 3 s, delays neither B nor C.
  const std::vector<Job> jobs{timed(0, 2, 10), timed(1, 3, 10), timed(2, 4, 10), timed(3, 1, 3)};
  EXPECT_EQ(starts("conservative", jobs), (Times{0, 10, 20, 3}));
  // The third in the queue has no reservation; at 10, when B starts, it is the second.
  EXPECT_EQ(starts("conservative(depth=2)", jobs), (Times{0, 10, 20, 10}));
}

TEST(Conservative, PlansAnewWhenAJobEndsEarly) {
  // A ends at 4, not at 10: B follows at once and C after it.
  EXPECT_EQ(starts("conservative", {timed(0, 3, 4, 10), timed(1, 4, 10), timed(2, 2, 10)}),
            (Times{0, 4, 14}));
}

TEST(FreeOverTime, FindsTheFirstGapThatIsLongEnough) {
  // 1 GPU from 0, 3 from 10, 4 from 20.
  FreeOverTime free(0, 1);
  free.add(10, 2);
  free.add(20, 1);
  EXPECT_EQ(free.earliest(1, 100, 5), 5);
  EXPECT_EQ(free.earliest(3, 100, 0), 10);
  EXPECT_EQ(free.earliest(4, kNever, 0), 20);
  EXPECT_EQ(free.earliest(5, 1, 0), kNever);
  // 3 of them are taken from 12 to 25.
  free.take(12, 25, 3);
  EXPECT_EQ(free.earliest(1, 12, 0), 0);   // [0, 12)
  EXPECT_EQ(free.earliest(1, 13, 0), 20);  // none is free in [12, 20)
  EXPECT_EQ(free.earliest(3, 2, 0), 10);
  EXPECT_EQ(free.earliest(3, 3, 0), 25);
}

// Random jobs on one server, whose free GPUs are never scattered.
std::vector<Job> random_jobs(bool exact) {
  std::vector<Job> jobs;
  double submit_s = 0;
  for (int i = pick(1, 30); i > 0; --i) {
    submit_s += pick(0, 6);
    const double time_s = pick(1, 20);
    jobs.push_back(timed(submit_s, pick<std::uint32_t>(1, 9), time_s,
                         exact ? time_s : static_cast<double>(pick(1, 20))));
  }
  return jobs;
}

TEST(Backfilling, ConservativeStartsNoJobLaterThanFifo) {
  EXPECT_TRUE(rc::check("with exact estimates no job starts later than under fifo", [] {
    const std::vector<Job> jobs = random_jobs(true);
    const Times fifo = starts("fifo", jobs, cluster(1, 8));
    const Times conservative = starts("conservative", jobs, cluster(1, 8));
    for (std::size_t i = 0; i < jobs.size(); ++i) RC_ASSERT(conservative[i] <= fifo[i]);
  }));
}

// What EASY does, without any of its short cuts: asks for every job in turn.
class PlainEasy : public Policy {
 public:
  void decide(Scheduler& scheduler) override {
    const std::span<const JobIndex> span = scheduler.waiting();
    const std::vector<JobIndex> waiting(span.begin(), span.end());
    std::size_t next = 0;
    while (next < waiting.size() && scheduler.try_start(waiting[next])) ++next;
    if (next == waiting.size()) return;
    std::uint64_t extra = 0;
    const double at_s = shadow(scheduler, scheduler.job(waiting[next]).gpus(), extra);
    for (++next; next < waiting.size(); ++next) {
      const JobView job = scheduler.job(waiting[next]);
      const bool ends = scheduler.now_s() + job.estimate_left_s() <= at_s;
      if (!ends && job.gpus() > extra) continue;
      if (scheduler.try_start(job.index()) && !ends) extra -= job.gpus();
    }
  }

 private:
  static double shadow(const SchedulerView& view, std::uint64_t gpus, std::uint64_t& extra) {
    std::vector<std::pair<double, JobIndex>> ends;
    for (const JobIndex one : view.running()) {
      // Estimates are whole numbers, and so are starts: the sum has no rounding.
      const JobView job = view.job(one);
      ends.emplace_back(view.now_s() + job.facts().estimate_s - job.served_s(), one);
    }
    std::sort(ends.begin(), ends.end());
    std::uint64_t free = view.cluster().total_gpus() - view.cluster().used_gpus();
    double at_s = view.now_s();
    for (const auto& [end_s, one] : ends) {
      if (free >= gpus && (end_s > at_s || end_s <= view.now_s())) break;
      at_s = std::max(at_s, end_s);
      free += view.job(one).gpus();
    }
    extra = free - gpus;
    return at_s;
  }
};

TEST(Backfilling, EasyDoesWhatAskingEveryJobInTurnWould) {
  EXPECT_TRUE(rc::check("easy is plain EASY", [] {
    const std::vector<Job> jobs = random_jobs(false);
    const SimulationResult plain = simulate(cluster(1, 8), jobs, policy<PlainEasy>(),
                                            *policies().make_placement("load-balancing"), {});
    const Times easy = starts("easy", jobs, cluster(1, 8));
    for (std::size_t i = 0; i < jobs.size(); ++i) RC_ASSERT(easy[i] == plain.jobs[i].start_s);
  }));
}

TEST(Backfilling, GoesOnAfterFailures) {
  // The server fails at 5 and is back at 7: A, which has no checkpoint, runs from 7 to 17, and B,
  // which needs all GPUs, starts then. C ends before in either case.
  SimulationOptions options;
  options.availability.checkpoint_interval_s = 0;
  options.availability.events = {{5, ServerId{0}, ServerId{0}, ServerChange::fail},
                                 {7, ServerId{0}, ServerId{0}, ServerChange::repair}};
  for (const char* queue : {"easy", "conservative"}) {
    const SimulationResult result =
        run_on(cluster(1, 4), {timed(0, 3, 10), timed(1, 4, 5), timed(8, 1, 2)}, options, queue);
    EXPECT_EQ(result.jobs[0].end_s, 17) << queue;
    EXPECT_EQ(result.jobs[1].start_s, 17) << queue;
    EXPECT_EQ(result.jobs[2].start_s, 8) << queue;
  }
}

}  // namespace
}  // namespace mosim::test
