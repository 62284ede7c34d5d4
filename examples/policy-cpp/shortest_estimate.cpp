// Shortest estimate first, with ageing: of the waiting jobs goes first the one with the smallest
//
//   estimate - ageing x time since its submission.
//
// The first that does not fit blocks those behind it, so that no job waits forever.
#include <algorithm>
#include <memory>
#include <vector>

#include "mosim/plugin.hpp"

namespace {

class ShortestEstimate : public mosim::Policy {
 public:
  explicit ShortestEstimate(double ageing) : ageing_(ageing) {}

  void decide(mosim::Scheduler& scheduler) override {
    const auto waiting = scheduler.waiting();
    queue_.assign(waiting.begin(), waiting.end());
    const auto rank = [&](mosim::JobIndex index) {
      const mosim::JobView job = scheduler.job(index);
      return job.estimate_left_s() - ageing_ * job.elapsed_s();
    };
    // Of equal ones the first to be submitted.
    std::ranges::stable_sort(queue_, {}, rank);
    for (const mosim::JobIndex job : queue_) {
      if (!scheduler.try_start(job)) return;
    }
  }

 private:
  double ageing_;
  std::vector<mosim::JobIndex> queue_;
};

}  // namespace

extern "C" const char* mosim_plugin_abi() { return mosim::kPluginAbi.data(); }

extern "C" void mosim_register(mosim::PolicyRegistry& registry) {
  registry.add_queue(
      {{.name = "shortest-estimate",
        .summary = "the shortest estimate first, minus what the job has waited",
        .source = "an example of MoSim",
        .parameters = {{.name = "ageing",
                        .kind = mosim::ParameterKind::number,
                        .fallback = "1",
                        .help = "seconds of estimate that one second of waiting makes up for"}},
        .needs = {.estimates = true}},
       [](const mosim::PolicySetup& setup) {
         return std::make_unique<ShortestEstimate>(setup.parameters.number("ageing"));
       }});
}
