#include "schedule/fair.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>

#include "base/fixed_math.hpp"

namespace mosim {
namespace {

constexpr double kLog2 = 0.69314718055994530942;
constexpr JobIndex kNoJob{0xffffffff};

std::size_t number_of(Sharer sharer, const JobView& job) {
  switch (sharer) {
    case Sharer::user:
      return job.facts().user;
    case Sharer::group:
      return job.facts().group;
    case Sharer::virtual_cluster:
      return index(job.virtual_cluster());
  }
  return 0;
}

bool has_free_gpus(const ClusterState& cluster) {
  for (std::uint32_t pool = 0; pool < cluster.pools(); ++pool) {
    if (cluster.pool(PoolId{pool}).total_free_gpus() > 0) return true;
  }
  return false;
}

bool share_a_pool(const SchedulerView& view, JobIndex running, JobIndex waiting) {
  const auto pools = view.pools_of(waiting);
  const ServerId server = view.groups_of(running).front().server;
  return std::any_of(pools.begin(), pools.end(),
                     [&](PoolId pool) { return view.cluster().in_pool(server, pool); });
}

}  // namespace

Account& FairQueue::account_of(const SchedulerView& view, JobIndex job) {
  const std::size_t number = number_of(sharer_, view.job(job));
  if (number >= accounts_.size()) accounts_.resize(number + 1);
  return accounts_[number];
}

void FairQueue::on_submit(const SchedulerView& view, JobIndex job) {
  auto& queue = account_of(view, job).waiting[view.fit_class(job)];
  queue.insert(std::lower_bound(queue.begin(), queue.end(), job), job);
}

void FairQueue::on_requeue(const SchedulerView& view, JobIndex job) {
  book_stop(view, job);
  on_submit(view, job);
}

void FairQueue::on_end(const SchedulerView& view, JobIndex job) { book_stop(view, job); }

void FairQueue::book_start(const SchedulerView& view, JobIndex job) {
  const ResourceRequest& request = view.job(job).request();
  Account& account = account_of(view, job);
  settle(account, view.now_s());
  account.gpus += request.gpus();
  account.cpus += std::uint64_t{request.cpus_per_worker} * request.workers;
  account.memory_mb += std::uint64_t{request.memory_mb_per_worker} * request.workers;
  account.running.push_back(job);
}

void FairQueue::book_stop(const SchedulerView& view, JobIndex job) {
  const ResourceRequest& request = view.job(job).request();
  Account& account = account_of(view, job);
  settle(account, view.now_s());
  account.gpus -= request.gpus();
  account.cpus -= std::uint64_t{request.cpus_per_worker} * request.workers;
  account.memory_mb -= std::uint64_t{request.memory_mb_per_worker} * request.workers;
  std::erase(account.running, job);
}

void FairQueue::decide(Scheduler& scheduler) {
  if (!looked_) look_at(scheduler.cluster());
  looked_ = true;
  start_all(scheduler);
}

bool FairQueue::comes_later(const Candidate& a, const Candidate& b) {
  if (a.had != b.had) return a.had > b.had;
  if (a.gpus != b.gpus) return a.gpus > b.gpus;
  return a.job > b.job;
}

// The account's first job of those that may fit.
void FairQueue::push(double now_s, std::size_t number) {
  const Account& account = accounts_[number];
  Candidate first{0, account.gpus, kNoJob, 0, number};
  for (const auto& [fit_class, queue] : account.waiting) {
    const bool blocked = fit_class < blocked_.size() && blocked_[fit_class];
    if (blocked || queue.empty() || queue.front() >= first.job) continue;
    first.job = queue.front();
    first.fit_class = fit_class;
  }
  if (first.job == kNoJob) return;
  first.had = had(account, now_s);
  candidates_.push_back(first);
  std::push_heap(candidates_.begin(), candidates_.end(), comes_later);
}

void FairQueue::start_all(Scheduler& scheduler) {
  if (scheduler.waiting_count() == 0 || !has_free_gpus(scheduler.cluster())) return;
  const double now_s = scheduler.now_s();
  candidates_.clear();
  blocked_.clear();
  for (std::size_t i = 0; i < accounts_.size(); ++i) push(now_s, i);
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end(), comes_later);
    const Candidate next = candidates_.back();
    candidates_.pop_back();
    const bool blocked = next.fit_class < blocked_.size() && blocked_[next.fit_class];
    if (!blocked && scheduler.try_start(next.job)) {
      accounts_[next.account].waiting[next.fit_class].pop_front();
      book_start(scheduler, next.job);
    } else if (strict_) {
      return;
    } else {
      // What does not fit will not fit in this visit any more, nor the others of its class.
      if (next.fit_class >= blocked_.size()) blocked_.resize(next.fit_class + std::size_t{1});
      blocked_[next.fit_class] = true;
    }
    push(now_s, next.account);
  }
}

// Usage u that decays by 2^(-t/h) while g GPUs are held: u 2^(-t/h) + g h/ln 2 (1 - 2^(-t/h)).
double FairShare::had(const Account& account, double now_s) const {
  const auto gpus = static_cast<double>(account.gpus);
  if (options_.half_life_s <= 0) return gpus;
  const double decay = fixed_exp(-(now_s - account.since_s) / options_.half_life_s * kLog2);
  return account.usage * decay + gpus * options_.half_life_s / kLog2 * (1 - decay);
}

void FairShare::settle(Account& account, double now_s) const {
  account.usage = had(account, now_s);
  account.since_s = now_s;
}

void FairShare::decide(Scheduler& scheduler) {
  FairQueue::decide(scheduler);
  if (!options_.preempt) return;
  while (preempt_for_one(scheduler)) start_all(scheduler);
}

// Makes room for the first job for which that can be done, the account with the least first.
bool FairShare::preempt_for_one(Scheduler& scheduler) {
  struct Claim {
    double had = 0;
    std::uint64_t gpus = 0;
    JobIndex job{};
  };
  std::vector<Claim> claims;
  for (const Account& account : accounts()) {
    Claim claim{had(account, scheduler.now_s()), account.gpus, kNoJob};
    for (const auto& [fit_class, queue] : account.waiting) {
      if (!queue.empty()) claim.job = std::min(claim.job, queue.front());
    }
    if (claim.job != kNoJob) claims.push_back(claim);
  }
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
    return std::tuple(a.had, a.gpus, a.job) < std::tuple(b.had, b.gpus, b.job);
  });
  if (options_.strict && claims.size() > 1) claims.resize(1);
  return std::any_of(claims.begin(), claims.end(),
                     [&](const Claim& claim) { return make_room(scheduler, claim.job); });
}

// Of the account that has had the most, and after losing it would still hold no less than that of
// `job` once it runs: the job submitted last. Jobs that got their GPUs just now keep them.
JobIndex FairShare::find_victim(const SchedulerView& view, JobIndex job) {
  const Account& claimant = account_of(view, job);
  const std::uint64_t claim = claimant.gpus + view.job(job).gpus();
  double most = had(claimant, view.now_s());
  JobIndex victim = kNoJob;
  for (const Account& account : accounts()) {
    const double has = had(account, view.now_s());
    if (has <= most || account.gpus <= claim) continue;
    JobIndex last = kNoJob;
    for (const JobIndex one : account.running) {
      const bool may = view.job(one).stage() == JobStage::running && view.job(one).stage_s() > 0 &&
                       view.may_preempt(one) && share_a_pool(view, one, job) &&
                       account.gpus >= claim + view.job(one).gpus();
      if (may && (last == kNoJob || one > last)) last = one;
    }
    if (last == kNoJob) continue;
    most = has;
    victim = last;
  }
  return victim;
}

bool FairShare::make_room(Scheduler& scheduler, JobIndex job) {
  std::vector<JobIndex> preempted;
  bool started = scheduler.try_start(job);
  while (!started) {
    const JobIndex victim = find_victim(scheduler, job);
    if (victim == kNoJob) break;
    scheduler.preempt(victim);
    book_stop(scheduler, victim);
    preempted.push_back(victim);
    started = scheduler.try_start(job);
  }
  if (started) {
    auto& queue = account_of(scheduler, job).waiting[scheduler.fit_class(job)];
    std::erase(queue, job);
    book_start(scheduler, job);
  }
  // Those whose GPUs were not needed, or all of them, go on as if nothing had happened.
  for (const JobIndex victim : preempted) {
    if (scheduler.try_resume(victim)) {
      book_start(scheduler, victim);
    } else {
      on_submit(scheduler, victim);
    }
  }
  return started;
}

double DominantShare::had(const Account& account, double /*now_s*/) const {
  const auto part = [](std::uint64_t held, double all) {
    return all > 0 ? static_cast<double>(held) / all : 0;
  };
  return std::max(
      {part(account.gpus, gpus_), part(account.cpus, cpus_), part(account.memory_mb, memory_mb_)});
}

namespace {

constexpr std::uint32_t kAllMemory = 0xffffffff;  // no server has as much

// Memory of a server that nothing runs on, in 10^6 bytes; 0: not limited.
std::uint32_t memory_mb(const ClusterState& cluster, ServerId server) {
  const auto has = [&](std::uint32_t memory) {
    const ResourceRequest request{.memory_mb_per_worker = memory};
    return cluster.capacity_for(server, request) > 0;
  };
  if (has(kAllMemory)) return 0;
  std::uint32_t low = 0;  // it has so much
  std::uint32_t high = kAllMemory;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (has(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

// A resource that some server does not limit is not limited.
void DominantShare::look_at(const ClusterState& cluster) {
  bool limits_cpus = true;
  bool limits_memory = true;
  for (std::uint32_t i = 0; i < cluster.servers(); ++i) {
    const std::uint32_t memory = memory_mb(cluster, ServerId{i});
    gpus_ += cluster.gpus(ServerId{i});
    cpus_ += cluster.cpus(ServerId{i});
    memory_mb_ += memory;
    limits_cpus = limits_cpus && cluster.cpus(ServerId{i}) > 0;
    limits_memory = limits_memory && memory > 0;
  }
  if (!limits_cpus) cpus_ = 0;
  if (!limits_memory) memory_mb_ = 0;
}

namespace {

Parameter between() {
  return {.name = "between",
          .kind = ParameterKind::choice,
          .fallback = "user",
          .help = "who shares: users, groups (the trace's virtual clusters) or the cluster's own",
          .choices = {"user", "group", "virtual-cluster"}};
}

Parameter strict() {
  return {.name = "strict",
          .kind = ParameterKind::boolean,
          .fallback = "false",
          .help = "the first job that does not fit blocks the others"};
}

Sharer sharer_of(const Parameters& parameters) {
  const std::string& text = parameters.text("between");
  if (text == "group") return Sharer::group;
  return text == "virtual-cluster" ? Sharer::virtual_cluster : Sharer::user;
}

}  // namespace

void add_fair_queues(PolicyRegistry& registry) {
  registry.add_queue(
      {{.name = "fair-share",
        .summary = "the user, group or virtual cluster with the least decayed usage goes first",
        .source = "Slurm, multifactor priority: classic fair-share with equal shares",
        .parameters = {between(),
                       {.name = "half_life",
                        .kind = ParameterKind::duration,
                        .fallback = "7d",
                        .help = "past usage counts half after it; 0 s: only GPUs held now count"},
                       {.name = "preempt",
                        .kind = ParameterKind::boolean,
                        .fallback = "false",
                        .help = "take GPUs from those who have had more and hold more"},
                       strict()},
        .spans_virtual_clusters = true},
       [](const PolicySetup& setup) {
         return std::make_unique<FairShare>(
             FairShare::Options{.sharer = sharer_of(setup.parameters),
                                .half_life_s = setup.parameters.number("half_life"),
                                .preempt = setup.parameters.flag("preempt"),
                                .strict = setup.parameters.flag("strict")});
       }});
  registry.add_queue(
      {{.name = "drf",
        .summary = "the user, group or virtual cluster with the smallest dominant share goes first",
        .source = "Ghodsi et al., Dominant Resource Fairness, NSDI 2011",
        .parameters = {between(), strict()},
        .spans_virtual_clusters = true},
       [](const PolicySetup& setup) {
         return std::make_unique<DominantShare>(sharer_of(setup.parameters),
                                                setup.parameters.flag("strict"));
       }});
}

}  // namespace mosim
