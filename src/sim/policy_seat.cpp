#include "sim/policy_seat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "sim/engine.hpp"

namespace mosim {
namespace {

std::string_view describe(JobStage stage) {
  switch (stage) {
    case JobStage::coming:
      return "is not submitted yet";
    case JobStage::waiting:
      return "waits";
    case JobStage::running:
      return "runs";
    case JobStage::done:
      return "is done";
  }
  return "";
}

std::uint32_t workers_of(std::span<const WorkerGroup> groups) {
  std::uint32_t workers = 0;
  for (const WorkerGroup& group : groups) workers += group.workers;
  return workers;
}

}  // namespace

double PolicySeat::now_s() const { return engine_->now_s(); }

// The job, if there is one.
JobIndex PolicySeat::known(JobIndex job) const {
  if (index(job) >= engine_->jobs().size()) refuse("a look at", job, "there is no such job");
  return job;
}

JobView PolicySeat::job(JobIndex job) const {
  const JobState& state = engine_->state(known(job));
  if (state.stage == JobStage::coming && !policy_->needs.remaining_time) {
    refuse("a look at", job, "it is not submitted yet");
  }
  return {job, engine_->jobs()[index(job)], state, engine_->now_s()};
}

std::size_t PolicySeat::jobs() const { return engine_->jobs().size(); }

std::span<const JobIndex> PolicySeat::waiting() const {
  return waiting_.look(
      [&](JobIndex job) { return engine_->state(job).stage == JobStage::waiting; });
}

std::span<const JobIndex> PolicySeat::running() const {
  return running_.look(
      [&](JobIndex job) { return engine_->state(job).stage == JobStage::running; });
}

const ClusterState& PolicySeat::cluster() const { return engine_->cluster(); }

std::span<const PoolId> PolicySeat::pools_of(JobIndex job) const {
  return engine_->pools_of(known(job));
}

std::span<const WorkerGroup> PolicySeat::groups_of(JobIndex job) const {
  return engine_->groups_of(known(job));
}

std::uint64_t PolicySeat::quota_left(JobIndex job) const { return engine_->quota_left(known(job)); }

std::uint32_t PolicySeat::fit_class(JobIndex job) const { return engine_->fit_class(known(job)); }

bool PolicySeat::find_place(JobIndex job, std::vector<WorkerGroup>& groups,
                            std::uint32_t workers) const {
  check("a place for", job, JobStage::waiting);
  return engine_->find_place(job, workers, groups);
}

double PolicySeat::added_slowdown(JobIndex job, std::span<const WorkerGroup> groups) const {
  check("a forecast for", job, JobStage::waiting);
  check_groups("a forecast for", job, groups);
  return engine_->added_slowdown(job, groups);
}

double PolicySeat::contention_factor(JobIndex job) const {
  check("a factor of", job, JobStage::running);
  return engine_->contention_factor(job);
}

double PolicySeat::preemptible_at_s(JobIndex job) const {
  check("the run time of", job, JobStage::running);
  return engine_->preemptible_at_s(job);
}

bool PolicySeat::may_resize(JobIndex job, std::uint32_t workers) const {
  return engine_->has_profiles(known(job), workers);
}

double PolicySeat::remaining_s(JobIndex job) const {
  if (!policy_->needs.remaining_time) {
    refuse("the remaining time of", job, "the policy does not declare that it needs it");
  }
  return engine_->remaining_s(known(job));
}

void PolicySeat::refuse(std::string_view action, JobIndex job, const std::string& why) const {
  throw InvalidAction(
      fmt::format("{} {} job {} is refused: {}", prefix(), action, index(job), why));
}

// How the message of every refusal begins.
std::string PolicySeat::prefix() const {
  return fmt::format("policy '{}' at {} s:", policy_->name, engine_->now_s());
}

// Elsewhere, between events of one time, the engine's state is not whole.
void PolicySeat::check_deciding(std::string_view action, JobIndex job) const {
  if (!deciding_) refuse(action, job, "a policy acts in decide() only");
}

// That there is such a job, that it is the policy's, and that it is in the stage.
void PolicySeat::check(std::string_view action, JobIndex job, JobStage stage) const {
  if (index(job) >= engine_->jobs().size()) refuse(action, job, "there is no such job");
  if (!engine_->belongs_to(job, *this)) refuse(action, job, "it is another policy's");
  const JobStage now = engine_->state(job).stage;
  if (now != stage) refuse(action, job, fmt::format("it {}", describe(now)));
}

void PolicySeat::check_groups(std::string_view action, JobIndex job,
                              std::span<const WorkerGroup> groups) const {
  const std::string why = engine_->why_not(job, groups);
  if (!why.empty()) refuse(action, job, why);
}

void PolicySeat::check_preemptible(std::string_view action, JobIndex job) const {
  if (engine_->preemptible_at_s(job) > engine_->now_s()) {
    refuse(action, job, "it has not run for preemption.min_run yet");
  }
}

bool PolicySeat::try_start(JobIndex job, std::uint32_t workers) {
  check_deciding("the start of", job);
  check("the start of", job, JobStage::waiting);
  if (workers > 0 && !engine_->has_profiles(job, workers)) {
    refuse("the start of", job, fmt::format("it has no profile on {} workers", workers));
  }
  if (!engine_->find_place(job, workers, place_)) return false;
  const std::string why = engine_->why_not(job, place_);
  if (!why.empty()) refuse("the start of", job, "its placement is wrong: " + why);
  start_checked(job, place_);
  return true;
}

void PolicySeat::start(JobIndex job, std::span<const WorkerGroup> groups) {
  check_deciding("the start of", job);
  check("the start of", job, JobStage::waiting);
  check_groups("the start of", job, groups);
  place_.assign(groups.begin(), groups.end());  // `groups` may be a view of what changes
  start_checked(job, place_);
}

void PolicySeat::start_checked(JobIndex job, std::span<const WorkerGroup> groups) {
  if (engine_->is_released(job)) {
    if (std::ranges::equal(groups, engine_->groups_of(job))) {
      engine_->resume(job);
      return;
    }
    engine_->end_attempt(job, AttemptEnd::moved);
  }
  engine_->start(job, groups);
}

void PolicySeat::preempt(JobIndex job) {
  check_deciding("the preemption of", job);
  check("the preemption of", job, JobStage::running);
  check_preemptible("the preemption of", job);
  engine_->release(job);
  preempted_.push_back(job);
}

bool PolicySeat::try_resume(JobIndex job) {
  check_deciding("the resumption of", job);
  check("the resumption of", job, JobStage::waiting);
  if (!engine_->is_released(job)) {
    refuse("the resumption of", job, "it was not preempted in this decision");
  }
  if (!engine_->why_not(job, engine_->groups_of(job)).empty()) return false;
  engine_->resume(job);
  return true;
}

void PolicySeat::migrate(JobIndex job, std::span<const WorkerGroup> groups) {
  check_deciding("the migration of", job);
  check("the migration of", job, JobStage::running);
  const std::uint32_t has = engine_->state(job).workers;
  if (workers_of(groups) != has) {
    refuse("the migration of", job,
           fmt::format("it has {} workers and {} are placed", has, workers_of(groups)));
  }
  move("the migration of", job, groups);
}

void PolicySeat::resize(JobIndex job, std::span<const WorkerGroup> groups) {
  check_deciding("the resizing of", job);
  check("the resizing of", job, JobStage::running);
  move("the resizing of", job, groups);
}

void PolicySeat::move(std::string_view action, JobIndex job, std::span<const WorkerGroup> groups) {
  if (std::ranges::equal(groups, engine_->groups_of(job))) return;  // it is there
  check_preemptible(action, job);
  // `groups` may be a view of what changes below.
  const std::vector<WorkerGroup> to(groups.begin(), groups.end());
  const std::string why = engine_->why_not_move(job, to);
  if (!why.empty()) refuse(action, job, why);
  engine_->release(job);
  engine_->end_attempt(job, AttemptEnd::moved);
  engine_->start(job, to);
}

void PolicySeat::wake_at(double at_s) {
  std::string_view why;
  if (!deciding_) why = "a policy acts in decide() only";
  if (!(at_s > engine_->now_s())) why = "that is not later";
  if (at_s == std::numeric_limits<double>::infinity()) why = "that is never";
  if (!why.empty()) {
    throw InvalidAction(fmt::format("{} waking it at {} s is refused: {}", prefix(), at_s, why));
  }
  wake_s_ = std::min(wake_s_, at_s);
}

void PolicySeat::change_stage(JobIndex job, JobStage from, JobStage to) {
  if (from == JobStage::waiting) waiting_.drop();
  if (from == JobStage::running) running_.drop();
  if (to == JobStage::waiting) waiting_.add(job);
  if (to == JobStage::running) running_.add(job);
}

template <typename Call>
void PolicySeat::guard(Call&& call) {
  try {
    call(*policy_->policy);
  } catch (const InvalidAction& error) {
    if (std::string_view(error.what()).starts_with(prefix())) throw;
    // One of the policy's own making.
    std::throw_with_nested(InvalidAction(fmt::format("{} {}", prefix(), error.what())));
  } catch (const std::exception& error) {
    std::throw_with_nested(RunError(fmt::format("policy '{}' failed at {} s: {}", policy_->name,
                                                engine_->now_s(), error.what())));
  } catch (...) {
    std::throw_with_nested(
        RunError(fmt::format("policy '{}' failed at {} s", policy_->name, engine_->now_s())));
  }
}

void PolicySeat::submitted(JobIndex job) {
  guard([&](Policy& policy) { policy.on_submit(*this, job); });
}

void PolicySeat::requeued(JobIndex job) {
  guard([&](Policy& policy) { policy.on_requeue(*this, job); });
}

void PolicySeat::ended(JobIndex job) {
  guard([&](Policy& policy) { policy.on_end(*this, job); });
}

void PolicySeat::decide() {
  deciding_ = true;
  guard([&](Policy& policy) { policy.decide(*this); });
  deciding_ = false;
  for (const JobIndex job : preempted_) {
    if (engine_->is_released(job)) engine_->end_attempt(job, AttemptEnd::preempted);
  }
  preempted_.clear();
  // Not before: the policy may have been walking the lists.
  if (waiting_.overgrown()) static_cast<void>(waiting());
  if (running_.overgrown()) static_cast<void>(running());
}

}  // namespace mosim
