// How evenly a run treated its jobs and users.
#include <algorithm>
#include <map>
#include <string_view>

#include "mosim/metrics.hpp"

namespace mosim {
namespace {

// Feitelson's bound: without it the shortest jobs would decide the average.
constexpr double kShortestJob_s = 10;
constexpr std::size_t kTopUsers = 10;
// A rho is above 1 when it is so by more than rounding.
constexpr double kRounding = 1e-9;

struct UserTotals {
  std::size_t jobs = 0;
  double jct_s = 0;
  double wait_s = 0;
  double gpu_s = 0;
  double inverse_slowdown = 0;
  double rho = 0;
  std::uint64_t preemptions = 0;
};

double mean_of(double total, const UserTotals& user) {
  return total / static_cast<double>(user.jobs);
}

std::vector<UserSummary> top(const std::map<std::string_view, UserTotals>& users) {
  std::vector<UserSummary> all;
  all.reserve(users.size());
  for (const auto& [name, user] : users) {
    all.push_back({std::string(name), user.jobs, mean_of(user.jct_s, user),
                   mean_of(user.wait_s, user), user.gpu_s / 3600, user.preemptions,
                   mean_of(user.rho, user)});
  }
  std::stable_sort(all.begin(), all.end(), [](const UserSummary& a, const UserSummary& b) {
    return a.gpu_hours > b.gpu_hours;
  });
  all.resize(std::min(all.size(), kTopUsers));
  return all;
}

double jain_of(const std::map<std::string_view, UserTotals>& users) {
  std::vector<double> means;
  means.reserve(users.size());
  for (const auto& [name, user] : users) means.push_back(mean_of(user.inverse_slowdown, user));
  return jain_index(means);
}

RhoSummary summarize(std::span<const JobMeasures> measures) {
  RhoSummary summary;
  std::vector<double> rhos;
  rhos.reserve(measures.size());
  std::size_t above = 0;
  for (const JobMeasures& job : measures) {
    rhos.push_back(job.rho);
    summary.max = std::max(summary.max, job.rho);
    if (job.rho > 1 + kRounding) ++above;
  }
  summary.jobs = describe(rhos);
  if (!rhos.empty()) {
    summary.above_one = static_cast<double>(above) / static_cast<double>(rhos.size());
  }
  return summary;
}

}  // namespace

double gpus_held(const JobResult& result) {
  const double held_s = result.training_s();
  return held_s > 0 ? result.service / held_s : 0;
}

double time_alone_s(const Job& job, const JobResult& result) {
  const JobProfile& profile = job.profile_on(result.gpu_type);
  return job.loading_s(profile) + result.iterations * profile.iteration_s();
}

double bounded_slowdown(double jct_s, double alone_s) {
  return std::max(1.0, jct_s / std::max(alone_s, kShortestJob_s));
}

double jain_index(std::span<const double> values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(values.size()) * squares) : 1;
}

Fairness fairness_of(const Run& run, std::span<const JobMeasures> measures) {
  Fairness fairness;
  std::vector<double> slowdowns;
  std::vector<double> inverses;
  std::map<std::string_view, UserTotals> users;
  double held = 0;
  double kept = 0;
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    const Job& job = run.jobs[i];
    const JobResult& result = run.result.jobs[i];
    const double jct_s = result.end_s - job.submit_s;
    const double training_s = result.training_s();
    slowdowns.push_back(bounded_slowdown(jct_s, time_alone_s(job, result)));
    inverses.push_back(1 / slowdowns.back());
    held += result.service;
    kept += (training_s - result.loading_s - result.restart_s - result.lost_s) * gpus_held(result);
    // A run that was put together by hand may have no trace.
    if (i >= run.trace.jobs.size() || run.trace.jobs[i].user.empty()) continue;
    UserTotals& user = users[run.trace.jobs[i].user];
    ++user.jobs;
    user.jct_s += jct_s;
    user.wait_s += jct_s - training_s;
    user.gpu_s += result.service;
    user.inverse_slowdown += inverses.back();
    user.rho += measures[i].rho;
    user.preemptions += result.preemptions;
  }
  fairness.bounded_slowdown = describe(slowdowns);
  fairness.jain_jobs = jain_index(inverses);
  fairness.rho = summarize(measures);
  if (held > 0) fairness.goodput = std::clamp(kept / held, 0.0, 1.0);  // rounding
  fairness.users = users.size();
  if (!users.empty()) fairness.jain_users = jain_of(users);
  fairness.top_users = top(users);
  return fairness;
}

}  // namespace mosim
