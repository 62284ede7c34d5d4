// Runs that can never end say who waits for what, and what there is.
#include <gtest/gtest.h>

#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

template <typename Function>
std::string error_of(Function&& function) {
  try {
    std::forward<Function>(function)();
  } catch (const RunError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class Idle : public Policy {
 public:
  void decide(Scheduler&) override {}
};

class Dozing : public Policy {
 public:
  void decide(Scheduler& scheduler) override { scheduler.wake_at(scheduler.now_s() + 1); }
};

// One server of 8 V100s, two of 4 T4s.
ClusterSpec two_types() {
  ClusterSpec spec{{servers(1, 8), servers(2, 4)}};
  spec.groups[0].gpu = "V100-SXM2-16GB";
  spec.groups[1].gpu = "T4";
  return spec;
}

TEST(GiveUp, WhenTheServersOfOneTypeAreDrained) {
  std::vector<Job> four = jobs({{0, 8, 10}, {5, 4, 10}, {5, 2, 10}, {6, 8, 10}});
  four[1].request.gpu_type = four[2].request.gpu_type = GpuTypeId{1};
  SimulationOptions options;
  options.availability.events = {{1, ServerId{1}, ServerId{2}, ServerChange::drain}};
  EXPECT_EQ(error_of([&] { (void)run_on(two_types(), four, options, "fifo-skip"); }),
            "2 of 4 jobs wait and can never start: 2 of 3 servers are down for good\n"
            "  GPU type T4: 2 jobs wait, the largest for 4 GPUs, all for 6; left: 0 of 8 T4 GPUs");
}

TEST(GiveUp, WhenAServerFailsForGood) {
  SimulationOptions options;
  options.availability.events = {{1, ServerId{2}, ServerId{2}, ServerChange::fail}};
  ClusterSpec spec = two_types();
  spec.groups[1].virtual_cluster = "prod";
  spec.virtual_clusters = {{.name = "prod", .quota = 16}, {.name = "dev"}};
  std::vector<Job> two = jobs({{0, 8, 10}, {2, 8, 10}});
  two[0].virtual_cluster = VirtualClusterId{1};
  two[1].request.gpu_type = GpuTypeId{1};
  EXPECT_EQ(
      error_of([&] { (void)run_on(spec, two, options); }),
      "1 of 2 jobs wait and can never start: 1 of 3 servers are down for good\n"
      "  GPU type T4 in virtual cluster prod (quota: 16 GPUs): 1 jobs wait, the largest for 8 "
      "GPUs, all for 8; left: 4 of 8 T4 GPUs of virtual cluster prod alone");
}

TEST(GiveUp, WhenThePolicyNeverStartsAnything) {
  const auto placement = policies().make_placement("bin-packing");
  const std::vector<Job> two = jobs({{0, 8, 10}, {2, 3, 10}});
  EXPECT_EQ(error_of([&] { (void)simulate(two_types(), two, policy<Idle>(), *placement, {}); }),
            "2 of 2 jobs were never started by policy 'test'\n"
            "  any GPU type: 2 jobs wait, the largest for 8 GPUs, all for 11; left: 8 of 8 "
            "V100-SXM2-16GB GPUs, 8 of 8 T4 GPUs");
}

TEST(GiveUp, WhenThePolicyOnlyWakes) {
  const auto placement = policies().make_placement("bin-packing");
  const std::vector<Job> one = jobs({{0, 4, 10}});
  // 1000 decisions for each of the 2 servers.
  EXPECT_EQ(error_of([&] { (void)simulate(cluster(2, 4), one, policy<Dozing>(), *placement, {}); }),
            "1 of 1 jobs wait and none could start in 2001 decisions that the policy asked to be "
            "woken for\n"
            "  any GPU type: 1 jobs wait, the largest for 4 GPUs, all for 4; left: 8 of 8 "
            "V100-SXM2-16GB GPUs");
}

}  // namespace
}  // namespace mosim::test
