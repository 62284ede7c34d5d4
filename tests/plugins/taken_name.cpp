// Registers a policy, and one with a name that is taken.
#include <memory>

#include "mosim/plugin.hpp"

namespace {

class Idle : public mosim::Policy {
 public:
  void decide(mosim::Scheduler&) override {}
};

std::unique_ptr<mosim::Policy> make_idle(const mosim::PolicySetup&) {
  return std::make_unique<Idle>();
}

}  // namespace

extern "C" const char* mosim_plugin_abi() { return mosim::kPluginAbi.data(); }

extern "C" void mosim_register(mosim::PolicyRegistry& registry) {
  registry.add_queue({{.name = "idle"}, make_idle});
  registry.add_queue({{.name = "fifo"}, make_idle});
}
