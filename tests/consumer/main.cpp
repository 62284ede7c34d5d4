// What a user of the library writes: three jobs under a policy of one's own.
#include <cstdio>

#include "mosim/metrics.hpp"
#include "mosim/schedule.hpp"
#include "mosim/sim.hpp"

namespace {

// Last come, first served.
class Lifo : public mosim::Policy {
 public:
  void decide(mosim::Scheduler& scheduler) override {
    const auto waiting = scheduler.waiting();
    for (auto job = waiting.rbegin(); job != waiting.rend(); ++job) {
      if (!scheduler.try_start(*job)) return;
    }
  }
};

}  // namespace

int main() {
  mosim::policies().add_queue({{.name = "lifo", .summary = "last come, first served"},
                               [](const mosim::PolicySetup&) { return std::make_unique<Lifo>(); }});
  mosim::Run run;
  run.cluster.groups = {mosim::ServerGroup{.count = 1, .gpus = 1}};
  mosim::Job job;
  job.iterations = 10;
  job.profile.compute_s = 1;
  run.jobs = {job, job, job};
  run.trace.jobs.resize(3);
  const auto queue = mosim::policies().make_queue("lifo");
  const auto placement = mosim::policies().make_placement("bin-packing");
  run.result = mosim::simulate(run.cluster, run.jobs, queue, *placement, {});
  // One GPU, the last job first: 10, 20 and 30 seconds.
  const bool right = run.result.jobs[2].end_s == 10 && run.result.jobs[0].end_s == 30 &&
                     mosim::summarize(run).makespan_s == 30;
  std::printf("mosim %s: %s\n", std::string(mosim::version()).c_str(), right ? "right" : "wrong");
  return right ? 0 : 1;
}
