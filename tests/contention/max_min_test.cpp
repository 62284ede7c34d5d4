// The max-min solver by hand, and the properties that define a max-min fair allocation.
#include "contention/max_min.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/jobs.hpp"

namespace mosim::test {
namespace {

struct Use {
  std::uint32_t link = 0;
  double load = 1;
};

struct Flowing {
  double demand = 0;
  std::vector<Use> uses;
  double weight = 1;
  std::uint32_t priority = 0;
};

std::vector<double> solve(MaxMinSolver& solver, const std::vector<double>& links,
                          const std::vector<Flowing>& jobs) {
  solver.clear();
  for (const double capacity : links) solver.add_link(capacity);
  for (const Flowing& job : jobs) {
    solver.add_job(job.demand, job.weight, job.priority);
    for (const Use& use : job.uses) solver.add_use(use.link, use.load);
  }
  const std::span<const double> rates = solver.solve();
  return {rates.begin(), rates.end()};
}

std::vector<double> solve(const std::vector<double>& links, const std::vector<Flowing>& jobs) {
  MaxMinSolver solver;
  return solve(solver, links, jobs);
}

using Rates = std::vector<double>;

TEST(MaxMin, WhatASmallJobLeavesGoesToTheOthers) {
  // 100 for 10, 60 and 80: 10 is served, the others share 90.
  EXPECT_EQ(solve({100}, {{10, {{0}}}, {60, {{0}}}, {80, {{0}}}}), (Rates{10, 45, 45}));
  // For 10, 30 and 80 the second is served as well: 60 are left.
  EXPECT_EQ(solve({100}, {{10, {{0}}}, {30, {{0}}}, {80, {{0}}}}), (Rates{10, 30, 60}));
}

TEST(MaxMin, AJobRunsAtItsSlowestLink) {
  // Link 0: A, B and C share 90, 30 each. Link 1 has A's 30, so D gets the 70 that are left.
  EXPECT_EQ(solve({90, 100}, {{100, {{0}, {1}}}, {100, {{0}}}, {100, {{0}}}, {100, {{1}}}}),
            (Rates{30, 30, 30, 70}));
}

TEST(MaxMin, Loads) {
  // B puts 2 on the link for each 1 of its rate: both at 20 fill 60.
  EXPECT_EQ(solve({60}, {{100, {{0, 1}}}, {100, {{0, 2}}}}), (Rates{20, 20}));
}

TEST(MaxMin, Weights) {
  // 1 : 3 of 80; and where 3 shares are more than B wants, A gets the rest.
  EXPECT_EQ(solve({80}, {{100, {{0}}, 1}, {100, {{0}}, 3}}), (Rates{20, 60}));
  EXPECT_EQ(solve({80}, {{100, {{0}}, 1}, {30, {{0}}, 3}}), (Rates{50, 30}));
}

TEST(MaxMin, Priorities) {
  // B first, then A and C share the 30 that B leaves; D gets nothing.
  EXPECT_EQ(
      solve({100}, {{50, {{0}}, 1, 1}, {70, {{0}}, 1, 0}, {50, {{0}}, 1, 1}, {50, {{0}}, 1, 2}}),
      (Rates{15, 70, 15, 0}));
}

TEST(MaxMin, AJobWithoutLinksGetsItsDemand) { EXPECT_EQ(solve({}, {{50, {}}}), (Rates{50})); }

// Feasible, and nobody can get more without taking from one that has no more than he: each job has
// its demand, or a full link on which no job of its priority or a later one has a higher level.
RC_GTEST_PROP(MaxMin, DefinitionHolds, ()) {
  MaxMinSolver solver;
  for (int reuse = 0; reuse < 2; ++reuse) {
    std::vector<double> links(pick(1U, 6U));
    for (double& capacity : links) capacity = pick(1U, 200U);
    std::vector<Flowing> jobs(pick(1U, 8U));
    for (Flowing& job : jobs) {
      job.demand = pick(1U, 150U);
      job.weight = pick(1U, 4U);
      job.priority = pick(0U, 2U);
      for (std::uint32_t link = 0; link < links.size(); ++link) {
        if (pick(0, 2) == 0) job.uses.push_back({link, pick(1U, 5U) * 0.5});
      }
    }
    const Rates rates = solve(solver, links, jobs);
    std::vector<double> loads(links.size(), 0);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      for (const Use& use : jobs[i].uses) loads[use.link] += use.load * rates[i];
    }
    for (std::size_t link = 0; link < links.size(); ++link) {
      RC_ASSERT(loads[link] <= links[link] * (1 + 1e-12));
    }
    const auto is_bottleneck = [&](std::size_t self, std::uint32_t link) {
      if (loads[link] < links[link] * (1 - 1e-12)) return false;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const bool uses = std::any_of(jobs[i].uses.begin(), jobs[i].uses.end(),
                                      [&](const Use& use) { return use.link == link; });
        if (!uses || jobs[i].priority < jobs[self].priority) continue;
        if (jobs[i].priority > jobs[self].priority && rates[i] > 1e-9) return false;
        const double level = rates[i] / jobs[i].weight;
        if (jobs[i].priority == jobs[self].priority &&
            level > rates[self] / jobs[self].weight * (1 + 1e-9) + 1e-9) {
          return false;
        }
      }
      return true;
    };
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      RC_ASSERT(rates[i] <= jobs[i].demand);
      const bool bound = std::any_of(jobs[i].uses.begin(), jobs[i].uses.end(),
                                     [&](const Use& use) { return is_bottleneck(i, use.link); });
      RC_ASSERT(bound || rates[i] == jobs[i].demand);
    }
  }
}

}  // namespace
}  // namespace mosim::test
