// A policy that acts at random, and checks each action and what the view shows against FuzzModel.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "sim/fuzz_action.hpp"
#include "sim/fuzz_cases.hpp"

namespace mosim::test {

struct FuzzTally {
  std::map<FuzzKind, std::size_t> right, wrong;
  std::size_t actions = 0;
};

// What the policies of a run share.
struct Fuzz {
  Fuzz(const FuzzCase& the_case, RandomStream the_random)
      : one(the_case), model(the_case), random(the_random) {}

  const FuzzCase& one;
  FuzzModel model;
  RandomStream random;
  FuzzTally tally = {};
  int budget = 500;                                     // actions that are left
  double last_now_s = 0;                                // time never goes back
  std::vector<std::vector<FuzzAction>> decisions = {};  // what was carried out in each
};

class FuzzPolicy : public Policy {
 public:
  FuzzPolicy(Fuzz& fuzz, std::size_t seat) : fuzz_(fuzz), seat_(seat) {}

  void on_submit(const SchedulerView& view, JobIndex job) override {
    fuzz_.model.submitted(job);
    act_outside(view);
  }
  void on_requeue(const SchedulerView& view, JobIndex job) override {
    fuzz_.model.failed(job, view.now_s());
    act_outside(view);
  }
  void on_end(const SchedulerView& view, JobIndex job) override {
    fuzz_.model.ended(job, view.now_s());
    act_outside(view);
  }

  void decide(Scheduler& scheduler) override {
    scheduler_ = &scheduler;
    fuzz_.decisions.emplace_back();
    EXPECT_GE(scheduler.now_s(), fuzz_.last_now_s);
    fuzz_.last_now_s = scheduler.now_s();
    for (std::uint32_t i = 0; i < scheduler.cluster().servers(); ++i) {
      fuzz_.model.set_accepting(i, scheduler.cluster().accepting(ServerId{i}));
    }
    check_view(scheduler);
    before_ = snapshot(scheduler, fuzz_.one.oracle);
    for (std::uint32_t i = draw(fuzz_.random, 0, 12); i > 0 && fuzz_.budget > 0; --i) {
      act(scheduler, draw_action(scheduler));
      if (::testing::Test::HasFailure()) fuzz_.budget = 0;
    }
    if (fuzz_.budget > 0) {
      act(scheduler,
          {.kind = FuzzKind::wake, .at_s = scheduler.now_s() + draw(fuzz_.random, 1, 30) / 10.0});
    } else {
      const auto waiting = scheduler.waiting();
      for (const JobIndex job : std::vector(waiting.begin(), waiting.end())) {
        act(scheduler, {.kind = FuzzKind::try_start, .job = job});
      }
    }
    fuzz_.model.decided(scheduler.now_s());
  }

 private:
  JobIndex draw_job() {
    RandomStream& random = fuzz_.random;
    const auto jobs = static_cast<std::uint32_t>(fuzz_.one.jobs.size());
    if (one_in(random, 16)) return JobIndex{jobs + draw(random, 0, 2)};
    if (one_in(random, 32)) return JobIndex{static_cast<std::uint32_t>(random.next())};
    return JobIndex{draw(random, 0, jobs - 1)};
  }

  // A job of the stage, most of the time.
  JobIndex draw_job(std::span<const JobIndex> of_stage) {
    if (of_stage.empty() || one_in(fuzz_.random, 4)) return draw_job();
    return of_stage[fuzz_.random.below(of_stage.size())];
  }

  // Servers that go together, from a random one on, with `workers` if there is room.
  std::vector<WorkerGroup> sensible_groups(JobIndex job, std::uint64_t workers) {
    std::vector<WorkerGroup> groups;
    const std::size_t servers = fuzz_.model.servers();
    const std::size_t first = fuzz_.random.below(servers);
    for (std::size_t i = 0; i < servers && workers > 0; ++i) {
      const std::size_t at = (first + i) % servers;
      if (!fuzz_.model.serves(at, job) || !fuzz_.model.together(first, at)) continue;
      const std::uint64_t here = std::min(workers, fuzz_.model.room(at, job));
      if (here == 0) continue;
      groups.push_back(
          {ServerId{static_cast<std::uint32_t>(at)}, static_cast<std::uint32_t>(here)});
      workers -= here;
    }
    return groups;
  }

  std::vector<WorkerGroup> draw_groups(JobIndex job, std::uint64_t workers) {
    RandomStream& random = fuzz_.random;
    std::vector<WorkerGroup> groups;
    if (fuzz_.model.exists(job) && !one_in(random, 4)) groups = sensible_groups(job, workers);
    const auto servers = static_cast<std::uint32_t>(fuzz_.model.servers());
    if (groups.empty()) {
      for (std::uint32_t i = draw(random, 0, 3); i > 0; --i) {
        groups.push_back({ServerId{draw(random, 0, servers)}, draw(random, 0, 4)});
      }
    }
    if (groups.empty() || !one_in(random, 5)) return groups;
    WorkerGroup& one = groups[random.below(groups.size())];
    const std::uint32_t huge = std::numeric_limits<std::uint32_t>::max();
    switch (random.below(6)) {
      case 0:
        one.server = ServerId{one_in(random, 2) ? huge : servers};
        break;
      case 1:
        one.workers = 0;
        break;
      case 2:
        one.workers = huge;
        break;
      case 3:
        one.gpu = draw(random, 0, 2);
        break;
      case 4:
        ++one.workers;
        break;
      default:
        groups.push_back(WorkerGroup(one));
    }
    return groups;
  }

  FuzzAction draw_action(const Scheduler& scheduler) {
    RandomStream& random = fuzz_.random;
    FuzzAction action{.kind = static_cast<FuzzKind>(random.below(7))};
    const bool starts = action.kind == FuzzKind::try_start || action.kind == FuzzKind::start ||
                        action.kind == FuzzKind::try_resume;
    action.job = draw_job(starts ? scheduler.waiting() : scheduler.running());
    const bool exists = fuzz_.model.exists(action.job);
    if (action.kind == FuzzKind::try_start && one_in(random, 3)) {
      action.workers =
          one_in(random, 20) ? static_cast<std::uint32_t>(random.next()) : draw(random, 1, 8);
    }
    std::uint64_t workers = exists ? fuzz_.one.jobs[index(action.job)].request.workers : 1;
    if (action.kind == FuzzKind::migrate && exists) {
      workers = workers_in(fuzz_.model.kept(action.job).groups);
    }
    if (action.kind == FuzzKind::resize || one_in(random, 4)) workers = draw(random, 1, 8);
    action.groups = draw_groups(action.job, workers);
    if (exists && one_in(random, 10)) action.groups = fuzz_.model.kept(action.job).groups;
    action.at_s = scheduler.now_s() + (draw(random, 0, 40) - 8.0) / 10;
    const double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(), scheduler.now_s()};
    if (one_in(random, 3)) action.at_s = odd[random.below(4)];
    return action;
  }

  // Whether the action is right; that there is room where it may fail is not asked.
  [[nodiscard]] bool is_right(const FuzzAction& action, double now_s) const {
    const FuzzModel& model = fuzz_.model;
    const JobIndex job = action.job;
    if (action.kind == FuzzKind::wake) return action.at_s > now_s && std::isfinite(action.at_s);
    if (!model.belongs(job, seat_)) return false;
    const bool waits = model.is(job, JobStage::waiting);
    const bool runs = model.is(job, JobStage::running);
    switch (action.kind) {
      case FuzzKind::try_start:
        return waits && (action.workers == 0 || model.may_resize(job, action.workers));
      case FuzzKind::start:
        return waits && model.fits(job, action.groups);
      case FuzzKind::preempt:
        return runs && model.has_run_enough(job, now_s);
      case FuzzKind::try_resume:
        return waits && model.kept(job).released;
      case FuzzKind::migrate:
      case FuzzKind::resize:
        if (!runs) return false;
        if (action.groups == model.kept(job).groups) return true;  // it is there
        if (action.kind == FuzzKind::migrate &&
            workers_in(action.groups) != workers_in(model.kept(job).groups)) {
          return false;
        }
        return model.has_run_enough(job, now_s) && model.fits(job, action.groups);
      case FuzzKind::wake:
        break;
    }
    return false;
  }

  // Of the two that may: whether there is room.
  [[nodiscard]] bool is_room(const FuzzAction& action) const {
    if (action.kind == FuzzKind::try_resume) {
      return fuzz_.model.fits(action.job, fuzz_.model.kept(action.job).groups);
    }
    if (action.kind != FuzzKind::try_start) return true;
    const std::uint32_t asked = fuzz_.one.jobs[index(action.job)].request.workers;
    return fuzz_.model.is_room_for(action.job, action.workers > 0 ? action.workers : asked);
  }

  void act(Scheduler& scheduler, const FuzzAction& action) {
    SCOPED_TRACE(fmt::format("action {} on job {} at {} s", static_cast<int>(action.kind),
                             index(action.job), scheduler.now_s()));
    --fuzz_.budget;
    ++fuzz_.tally.actions;
    const bool right = is_right(action, scheduler.now_s());
    ++(right ? fuzz_.tally.right : fuzz_.tally.wrong)[action.kind];
    bool done = false;
    try {
      done = carry_out(scheduler, action);
      EXPECT_TRUE(right) << "accepted";
      if (right) {
        EXPECT_EQ(done, is_room(action));
      }
    } catch (const InvalidAction& error) {
      EXPECT_FALSE(right) << error.what();
      EXPECT_TRUE(std::string(error.what()).starts_with("policy 'fuzz' at ")) << error.what();
    }
    if (::testing::Test::HasFailure()) return;
    if (done) {
      fuzz_.decisions.back().push_back(action);
      record(scheduler, action);
      check_view(scheduler);
    }
    std::vector<double> after = snapshot(scheduler, fuzz_.one.oracle);
    if (!done) {
      EXPECT_EQ(after, before_) << "a refused action shows";
    }
    before_ = std::move(after);
  }

  void record(const Scheduler& scheduler, const FuzzAction& action) {
    const double now_s = scheduler.now_s();
    switch (action.kind) {
      case FuzzKind::try_start: {
        const auto groups = scheduler.groups_of(action.job);
        const std::uint32_t asked = fuzz_.one.jobs[index(action.job)].request.workers;
        EXPECT_TRUE(fuzz_.model.fits(action.job, groups));
        EXPECT_EQ(workers_in(groups), action.workers > 0 ? action.workers : asked);
        return fuzz_.model.started(action.job, groups, now_s);
      }
      case FuzzKind::start:
        return fuzz_.model.started(action.job, action.groups, now_s);
      case FuzzKind::preempt:
        return fuzz_.model.preempted(action.job);
      case FuzzKind::try_resume:
        return fuzz_.model.resumed(action.job);
      case FuzzKind::migrate:
      case FuzzKind::resize:
        return fuzz_.model.moved(action.job, action.groups, now_s);
      case FuzzKind::wake:
        return;
    }
  }

  // Elsewhere than in decide() every action is refused.
  void act_outside(const SchedulerView& view) {
    if (scheduler_ == nullptr || !one_in(fuzz_.random, 4)) return;
    const std::vector<double> before = snapshot(view, fuzz_.one.oracle);
    ++fuzz_.tally.actions;
    EXPECT_THROW(carry_out(*scheduler_, draw_action(*scheduler_)), InvalidAction);
    EXPECT_EQ(snapshot(view, fuzz_.one.oracle), before);
  }

  // That the view shows what the model believes.
  void check_view(const SchedulerView& view) {
    const FuzzModel& model = fuzz_.model;
    std::vector<JobIndex> waiting;
    std::vector<JobIndex> running;
    for (std::uint32_t i = 0; i < view.jobs(); ++i) {
      const JobIndex job{i};
      if (model.is(job, JobStage::coming) && !fuzz_.one.oracle) {
        EXPECT_THROW((void)view.job(job), InvalidAction);
        continue;
      }
      const JobView seen = view.job(job);
      EXPECT_EQ(seen.stage(), model.kept(job).stage);
      if (model.belongs(job, seat_) && model.is(job, JobStage::waiting)) waiting.push_back(job);
      if (model.belongs(job, seat_) && model.is(job, JobStage::running)) running.push_back(job);
      EXPECT_NEAR(seen.served_s(), model.served_s(job, view.now_s()), 1e-6);
      EXPECT_NEAR(seen.attained_service(), model.service(job, view.now_s()), 1e-6);
      const FuzzModel::Kept& kept = model.kept(job);
      EXPECT_EQ(seen.preemptions(), kept.preemptions + kept.moves);
      if (kept.stage != JobStage::running) continue;
      EXPECT_TRUE(std::ranges::equal(view.groups_of(job), kept.groups));
      EXPECT_EQ(seen.held_gpus(), workers_in(kept.groups) * seen.request().gpus_per_worker);
      if (view.quota_left(job) < fuzz_.one.cluster.gpus()) {
        EXPECT_EQ(view.quota_left(job), model.quota_left(job, std::nullopt));
      }
    }
    EXPECT_TRUE(std::ranges::equal(view.waiting(), waiting));
    EXPECT_TRUE(std::ranges::equal(view.running(), running));
    EXPECT_EQ(view.waiting_count(), waiting.size());
    EXPECT_EQ(view.running_count(), running.size());
    for (std::size_t at = 0; at < model.servers(); ++at) {
      const std::uint64_t held = model.held(at, std::nullopt, [](const ResourceRequest& request) {
        return std::uint64_t{request.gpus_per_worker};
      });
      ASSERT_LE(held, model.server(at).gpus);
      const ServerId server{static_cast<std::uint32_t>(at)};
      EXPECT_EQ(view.cluster().free_gpus(server), model.server(at).gpus - held);
    }
  }

  Fuzz& fuzz_;
  std::size_t seat_;
  Scheduler* scheduler_ = nullptr;
  std::vector<double> before_;
};

}  // namespace mosim::test
