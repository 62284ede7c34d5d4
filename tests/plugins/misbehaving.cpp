// A queue policy and a placement that throw what and where they are told, and a policy that catches
// what the program throws.
#include <memory>
#include <stdexcept>
#include <string>

#include "mosim/plugin.hpp"

namespace {

struct Told {
  std::string where;
  std::string what;

  void misbehave(const std::string& here) const {
    if (here != where) return;
    if (what == "exception") throw std::runtime_error("no luck");
    if (what == "action") throw mosim::InvalidAction("not mine");
    if (what == "int") throw 7;  // NOLINT(hicpp-exception-baseclass)
  }
};

class Throws : public mosim::Policy {
 public:
  explicit Throws(Told told) : told_(std::move(told)) { told_.misbehave("make"); }

  void on_submit(const mosim::SchedulerView& view, mosim::JobIndex job) override {
    told_.misbehave("submit");
    first_ = job;
    view_ = &view;
  }
  void on_end(const mosim::SchedulerView&, mosim::JobIndex) override { told_.misbehave("end"); }
  void decide(mosim::Scheduler& scheduler) override {
    told_.misbehave("decide");
    // Refused by the program: the job waits.
    if (told_.what == "refused") scheduler.preempt(first_);
    for (const mosim::JobIndex job : scheduler.waiting()) scheduler.try_start(job);
  }

 private:
  Told told_;
  mosim::JobIndex first_{};
  const mosim::SchedulerView* view_ = nullptr;
};

class Catches : public mosim::Policy {
 public:
  void decide(mosim::Scheduler& scheduler) override {
    for (const mosim::JobIndex job : scheduler.waiting()) {
      bool caught = false;
      try {
        scheduler.preempt(job);
      } catch (const mosim::InvalidAction&) {
        caught = true;
      }
      if (caught) scheduler.try_start(job);
    }
  }
};

class ThrowingPlacement : public mosim::Placement {
 public:
  explicit ThrowingPlacement(Told told) : told_(std::move(told)) {}

  [[nodiscard]] bool place(const mosim::ServerPool&, const mosim::PlacementQuery&,
                           std::vector<mosim::WorkerGroup>&) const override {
    told_.misbehave("place");
    return false;
  }

 private:
  Told told_;
};

Told told_by(const mosim::PolicySetup& setup) {
  return {setup.parameters.text("where"), setup.parameters.text("what")};
}

std::vector<mosim::Parameter> parameters(std::vector<std::string> places) {
  using mosim::ParameterKind;
  const std::string first = places.front();
  return {{.name = "where",
           .kind = ParameterKind::choice,
           .fallback = first,
           .help = "where",
           .choices = std::move(places)},
          {.name = "what",
           .kind = ParameterKind::choice,
           .fallback = "exception",
           .help = "what",
           .choices = {"exception", "action", "int", "refused"}}};
}

}  // namespace

extern "C" const char* mosim_plugin_abi() { return mosim::kPluginAbi.data(); }

extern "C" void mosim_register(mosim::PolicyRegistry& registry) {
  registry.add_queue(
      {{.name = "throws", .parameters = parameters({"decide", "submit", "end", "make"})},
       [](const mosim::PolicySetup& setup) { return std::make_unique<Throws>(told_by(setup)); }});
  registry.add_queue(
      {{.name = "catches"}, [](const mosim::PolicySetup&) { return std::make_unique<Catches>(); }});
  registry.add_queue({{.name = "nothing"},
                      [](const mosim::PolicySetup&) { return std::unique_ptr<mosim::Policy>(); }});
  registry.add_placement({{.name = "throws", .parameters = parameters({"place"})},
                          [](const mosim::PolicySetup& setup) {
                            return std::make_unique<ThrowingPlacement>(told_by(setup));
                          }});
}
