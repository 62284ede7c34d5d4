#include "schedule/priority_queues.hpp"

#include <algorithm>
#include <stdexcept>

#include "schedule/by_priority.hpp"
#include "schedule/gittins.hpp"
#include "schedule/key_orders.hpp"
#include "schedule/las.hpp"

namespace mosim {
namespace {

constexpr const char* kTiresias = "Gu et al., Tiresias, NSDI 2019";
constexpr const char* kSrpt =
    "Schrage, A Proof of the Optimality of the Shortest Remaining Processing Time Discipline, 1968";

Parameter quantum() {
  return {.name = "quantum",
          .kind = ParameterKind::duration,
          .fallback = "0 s",
          .help = "preempts only at multiples of it; 0: whenever jobs arrive or end"};
}

Parameter estimates() {
  return {.name = "estimates",
          .kind = ParameterKind::boolean,
          .fallback = "false",
          .help =
              "takes what the user's estimate leaves instead of the true remaining time; jobs "
              "without one last"};
}

Parameter preemptive(const char* fallback) {
  return {.name = "preemptive",
          .kind = ParameterKind::boolean,
          .fallback = fallback,
          .help = "whether jobs that run give way to better ones"};
}

Parameter thresholds() {
  return {.name = "thresholds",
          .kind = ParameterKind::numbers,
          .fallback = "3250 7200",
          .help = "attained service, GPUs x s, at which jobs leave each queue but the last",
          .minimum = 1e-3};
}

Parameter promotion() {
  return {.name = "promote",
          .kind = ParameterKind::number,
          .fallback = "0",
          .help =
              "a job that waits that many times as long as it ran goes to the top queue; 0: "
              "never"};
}

std::unique_ptr<Policy> make(std::unique_ptr<Order> order, const PreemptionRule& rule) {
  return std::make_unique<ByPriority>(std::move(order), rule);
}

PreemptionRule at_quanta(const Parameters& parameters) {
  return {true, parameters.number("quantum")};
}

LasRules las_rules(const Parameters& parameters) {
  LasRules rules{parameters.numbers("thresholds"), parameters.number("promote"), false};
  if (!std::is_sorted(rules.limits.begin(), rules.limits.end(), std::less_equal<>())) {
    throw std::invalid_argument(
        "the thresholds do not grow; expected each to be larger than the "
        "one before");
  }
  return rules;
}

void add_shortest_first(PolicyRegistry& registry) {
  registry.add_queue({{.name = "sjf",
                       .summary = "shortest job first, not preemptive",
                       .source = kSrpt,
                       .parameters = {estimates()},
                       .needs = {.remaining_time = true}},
                      [](const PolicySetup& setup) {
                        const bool estimates = setup.parameters.flag("estimates");
                        return make(std::make_unique<KeyOrder>(remaining_time(estimates)), {});
                      }});
  registry.add_queue({{.name = "srtf",
                       .summary = "shortest remaining time first, preemptive",
                       .source = kSrpt,
                       .parameters = {estimates(), quantum()},
                       .needs = {.remaining_time = true}},
                      [](const PolicySetup& setup) {
                        const bool estimates = setup.parameters.flag("estimates");
                        return make(std::make_unique<KeyOrder>(remaining_time(estimates)),
                                    at_quanta(setup.parameters));
                      }});
  registry.add_queue({{.name = "srsf",
                       .summary = "shortest remaining service, GPUs x time, first; preemptive",
                       .source = kTiresias,
                       .parameters = {estimates(), quantum()},
                       .needs = {.remaining_time = true}},
                      [](const PolicySetup& setup) {
                        const bool estimates = setup.parameters.flag("estimates");
                        return make(std::make_unique<KeyOrder>(remaining_service(estimates)),
                                    at_quanta(setup.parameters));
                      }});
}

void add_given_order(PolicyRegistry& registry) {
  const auto rule = [](const Parameters& parameters) {
    return PreemptionRule{parameters.flag("preemptive"), parameters.number("quantum")};
  };
  registry.add_queue({{.name = "priority",
                       .summary = "the largest priority first",
                       .source = "Kubernetes, PriorityClass; Slurm, priority/multifactor",
                       .parameters = {preemptive("false"), quantum()}},
                      [rule](const PolicySetup& setup) {
                        return make(std::make_unique<KeyOrder>(by_priority),
                                    rule(setup.parameters));
                      }});
  registry.add_queue({{.name = "edf",
                       .summary = "the earliest deadline first, jobs without one last",
                       .source = "Liu and Layland, Scheduling Algorithms for Multiprogramming in a "
                                 "Hard-Real-Time Environment, JACM 1973",
                       .parameters = {preemptive("true"), quantum()},
                       .needs = {.deadlines = true}},
                      [rule](const PolicySetup& setup) {
                        return make(std::make_unique<KeyOrder>(by_deadline),
                                    rule(setup.parameters));
                      }});
}

void add_attained_service(PolicyRegistry& registry) {
  registry.add_queue(
      {{.name = "las",
        .summary = "discretized 2D-LAS: queues by attained service, GPUs x time; preemptive",
        .source = kTiresias,
        .parameters = {thresholds(),
                       promotion(),
                       {.name = "demotion",
                        .kind = ParameterKind::choice,
                        .fallback = "exact",
                        .help = "at the threshold, or late as in Tiresias's simulator",
                        .choices = {"exact", "tiresias"}},
                       quantum()}},
       [](const PolicySetup& setup) {
         LasRules rules = las_rules(setup.parameters);
         rules.demote_late = setup.parameters.text("demotion") == "tiresias";
         return make(std::make_unique<LasOrder>(std::move(rules)), at_quanta(setup.parameters));
       }});
}

void add_gittins(PolicyRegistry& registry) {
  registry.add_queue(
      {{.name = "gittins",
        .summary = "2D-Gittins: the largest Gittins index first in the queues of las; preemptive",
        .source = kTiresias,
        .parameters = {thresholds(),
                       promotion(),
                       {.name = "delta",
                        .kind = ParameterKind::number,
                        .fallback = "3250",
                        .help = "service, GPUs x s, within which a job may end",
                        .minimum = 1e-3},
                       {.name = "index",
                        .kind = ParameterKind::choice,
                        .fallback = "true",
                        .help = "the true one, or that of Tiresias's simulator, which counts the "
                                "whole service of past jobs, not what was left of it",
                        .choices = {"true", "tiresias"}},
                       {.name = "history",
                        .kind = ParameterKind::choice,
                        .fallback = "completed",
                        .help = "the jobs completed so far, or all of the trace: an oracle, as in "
                                "Tiresias's simulator",
                        .choices = {"completed", "trace"}},
                       quantum()},
        .needs = {.remaining_time = true}},
       [](const PolicySetup& setup) {
         const Parameters& parameters = setup.parameters;
         const GittinsRules rules{parameters.number("delta"),
                                  parameters.text("index") == "tiresias",
                                  parameters.text("history") == "trace"};
         return make(std::make_unique<GittinsOrder>(las_rules(parameters), rules),
                     at_quanta(parameters));
       }});
}

}  // namespace

void add_priority_queues(PolicyRegistry& registry) {
  add_shortest_first(registry);
  add_attained_service(registry);
  add_gittins(registry);
  add_given_order(registry);
}

}  // namespace mosim
