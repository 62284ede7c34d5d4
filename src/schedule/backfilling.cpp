#include "schedule/backfilling.hpp"

#include <algorithm>
#include <memory>

namespace mosim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kNoLimit = 1ULL << 40;  // of a quota: more GPUs than there are

std::uint64_t quota_of(const SchedulerView& view, JobIndex job) {
  return std::min(view.quota_left(job), kNoLimit);
}

// Whether it can be that the job fits now.
bool may_fit(const SchedulerView& view, JobIndex job) {
  const std::uint64_t gpus = view.job(job).gpus();
  if (gpus > view.quota_left(job)) return false;
  const auto pools = view.pools_of(job);
  return std::any_of(pools.begin(), pools.end(), [&](PoolId pool) {
    return view.cluster().pool(pool).total_free_gpus() >= gpus;
  });
}

// GPUs that the pool gets back when the running job ends.
std::uint64_t given_back(const SchedulerView& view, JobIndex job, PoolId pool) {
  std::uint64_t workers = 0;
  for (const WorkerGroup& group : view.groups_of(job)) {
    const bool counts =
        view.cluster().in_pool(group.server, pool) && view.cluster().accepting(group.server);
    if (counts) workers += group.workers;
  }
  return workers * view.job(job).request().gpus_per_worker;
}

bool in_pool(const SchedulerView& view, const std::vector<WorkerGroup>& groups, PoolId pool) {
  return view.cluster().in_pool(groups.front().server, pool);
}

}  // namespace

void ExpectedEnds::add(const SchedulerView& view, JobIndex job) {
  end_s_.resize(view.jobs());
  end_s_[index(job)] = view.now_s() + view.job(job).estimate_left_s();
  ends_.emplace(end_s_[index(job)], job);
}

void ExpectedEnds::remove(JobIndex job) { ends_.erase({end_s_[index(job)], job}); }

void WaitingClass::insert(const Entry& entry) {
  const auto after = [](const Entry& a, const Entry& b) { return a.job < b.job; };
  entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), entry, after), entry);
  shortest_s_ = std::min(shortest_s_, entry.estimate_s);
}

void WaitingClass::erase(std::size_t position) {
  const double estimate_s = entries_[position].estimate_s;
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(position));
  if (estimate_s > shortest_s_) return;
  shortest_s_ = kNever;
  for (const Entry& entry : entries_) shortest_s_ = std::min(shortest_s_, entry.estimate_s);
}

void Easy::on_submit(const SchedulerView& view, JobIndex job) {
  const std::uint32_t fit_class = view.fit_class(job);
  if (fit_class >= waiting_.size()) waiting_.resize(fit_class + std::size_t{1});
  waiting_[fit_class].insert({job, view.job(job).estimate_left_s()});
}

void Easy::on_requeue(const SchedulerView& view, JobIndex job) {
  running_.remove(job);
  on_submit(view, job);
}

void Easy::on_end(const SchedulerView&, JobIndex job) { running_.remove(job); }

// The class of the head of the queue; nothing when no job waits.
WaitingClass* Easy::first() {
  WaitingClass* first = nullptr;
  for (WaitingClass& one : waiting_) {
    if (!one.empty() && (first == nullptr || one.front() < first->front())) first = &one;
  }
  return first;
}

void Easy::decide(Scheduler& scheduler) {
  for (WaitingClass* head = first(); head != nullptr; head = first()) {
    const JobIndex job = head->front();
    if (!scheduler.try_start(job)) return backfill(scheduler, job);
    head->erase(0);
    running_.add(scheduler, job);
  }
}

Easy::Reservation Easy::reserve(const SchedulerView& view, JobIndex head) const {
  Reservation best;
  for (const PoolId pool : view.pools_of(head)) {
    const Reservation here = reserve_in(view, head, pool);
    if (here.at_s < best.at_s) best = here;
  }
  return best;
}

Easy::Reservation Easy::reserve_in(const SchedulerView& view, JobIndex head, PoolId pool) const {
  const std::uint64_t gpus = view.job(head).gpus();
  std::uint64_t free = view.cluster().pool(pool).total_free_gpus();
  std::uint64_t quota = quota_of(view, head);
  double at_s = view.now_s();
  for (const auto& [end_s, job] : running_.in_order()) {
    const bool enough = free >= gpus && quota >= gpus;
    // What ends at the same time is left over too; not of jobs over their estimates, whose ends
    // only seem to be the same: else jobs behind would take all that becomes free, and the head
    // starve.
    if (enough && (end_s > at_s || end_s <= view.now_s())) break;
    at_s = std::max(at_s, end_s);
    free += given_back(view, job, pool);
    quota += view.job(job).held_gpus();
  }
  if (free < gpus || quota < gpus) return {};
  return {at_s, pool, free - gpus, quota - gpus};
}

void Easy::backfill(Scheduler& scheduler, JobIndex head) {
  const auto later = [](const Candidate& a, const Candidate& b) { return a.job > b.job; };
  const std::uint32_t blocked = scheduler.fit_class(head);
  candidates_.clear();
  Reservation reservation;
  bool reserved = false;
  for (std::uint32_t one = 0; one < waiting_.size(); ++one) {
    if (one == blocked || waiting_[one].empty()) continue;
    if (!may_fit(scheduler, waiting_[one].front())) continue;
    if (!reserved) reservation = reserve(scheduler, head);
    reserved = true;
    push_next(scheduler, reservation, {{}, one, 0});
  }
  std::make_heap(candidates_.begin(), candidates_.end(), later);
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end(), later);
    Candidate next = candidates_.back();
    candidates_.pop_back();
    WaitingClass& queue = waiting_[next.fit_class];
    // What the head leaves over may have become less since it was pushed.
    const double end_s = scheduler.now_s() + queue.entries()[next.position].estimate_s;
    const bool outlasts = end_s > reservation.at_s;
    // What does not fit will not fit in this visit any more, nor the others of its class.
    if (!scheduler.find_place(next.job, place_)) continue;
    if (try_backfill(scheduler, reservation, next.job, outlasts)) {
      queue.erase(next.position);
    } else {
      ++next.position;
    }
    const std::size_t before = candidates_.size();
    push_next(scheduler, reservation, next);
    if (candidates_.size() > before) {
      std::push_heap(candidates_.begin(), candidates_.end(), later);
    }
  }
}

// The next job of the class, from `from.position` on, that the reservation lets start.
void Easy::push_next(const SchedulerView& view, const Reservation& reservation, Candidate from) {
  const WaitingClass& queue = waiting_[from.fit_class];
  if (from.position >= queue.entries().size()) return;
  const JobIndex any = queue.entries()[from.position].job;
  const std::uint64_t gpus = view.job(any).gpus();
  const auto pools = view.pools_of(any);
  const bool elsewhere = pools.size() > 1 || pools.front() != reservation.pool;
  const bool left_over =
      gpus <= reservation.extra_quota && (elsewhere || gpus <= reservation.extra);
  const double longest_s = left_over ? kNever : reservation.at_s - view.now_s();
  if (queue.shortest_s() > longest_s) return;
  for (; from.position < queue.entries().size(); ++from.position) {
    const WaitingClass::Entry& entry = queue.entries()[from.position];
    if (entry.estimate_s > longest_s) continue;
    from.job = entry.job;
    candidates_.push_back(from);
    return;
  }
}

// Starts the job in `place_` unless that would delay the head.
bool Easy::try_backfill(Scheduler& scheduler, Reservation& reservation, JobIndex job,
                        bool outlasts) {
  if (outlasts) {
    const std::uint64_t gpus = scheduler.job(job).gpus();
    const bool in_the_way = in_pool(scheduler, place_, reservation.pool);
    if (gpus > reservation.extra_quota || (in_the_way && gpus > reservation.extra)) return false;
    reservation.extra_quota -= gpus;
    if (in_the_way) reservation.extra -= gpus;
  }
  scheduler.start(job, place_);
  running_.add(scheduler, job);
  return true;
}

void FreeOverTime::add(double at_s, std::int64_t gpus) {
  const std::int64_t free = steps_.back().free + gpus;
  if (at_s <= steps_.back().at_s) {
    steps_.back().free = free;
  } else {
    steps_.push_back({at_s, free});
  }
}

double FreeOverTime::earliest(std::int64_t gpus, double duration_s, double from_s) const {
  const auto after = [](double time_s, const Step& step) { return time_s < step.at_s; };
  auto at = std::upper_bound(steps_.begin() + 1, steps_.end(), from_s, after) - 1;
  double start_s = std::max(from_s, steps_.front().at_s);
  for (; at != steps_.end(); ++at) {
    if (at->at_s > start_s && at->at_s >= start_s + duration_s) break;
    if (at->free >= gpus) continue;
    if (at + 1 == steps_.end()) return kNever;
    start_s = (at + 1)->at_s;
  }
  return start_s;
}

// The step that begins at `at_s`.
std::size_t FreeOverTime::split(double at_s) {
  const auto before = [](const Step& step, double time_s) { return step.at_s < time_s; };
  const auto at = std::lower_bound(steps_.begin(), steps_.end(), at_s, before);
  const auto position = static_cast<std::size_t>(at - steps_.begin());
  if (at == steps_.end() || at->at_s > at_s) steps_.insert(at, {at_s, (at - 1)->free});
  return position;
}

void FreeOverTime::take(double from_s, double to_s, std::int64_t gpus) {
  if (!(to_s > from_s)) return;
  const std::size_t first = split(from_s);
  const std::size_t last = to_s == kNever ? steps_.size() : split(to_s);
  for (std::size_t i = first; i < last; ++i) steps_[i].free -= gpus;
}

// The first time that both the pool and the quota allow.
double Conservative::Plan::earliest(PoolId pool, std::int64_t gpus, double duration_s) const {
  const FreeOverTime& free = pools[index(pool)];
  double at_s = 0;
  while (true) {
    const double in_pool_s = free.earliest(gpus, duration_s, at_s);
    if (in_pool_s == kNever) return kNever;
    at_s = quota.earliest(gpus, duration_s, in_pool_s);
    if (at_s == kNever || at_s == in_pool_s) return at_s;
  }
}

void Conservative::Plan::take(PoolId pool, double from_s, double duration_s, std::int64_t gpus) {
  pools[index(pool)].take(from_s, from_s + duration_s, gpus);
  quota.take(from_s, from_s + duration_s, gpus);
}

void Conservative::on_requeue(const SchedulerView&, JobIndex job) { running_.remove(job); }

void Conservative::on_end(const SchedulerView&, JobIndex job) { running_.remove(job); }

Conservative::Plan Conservative::plan(const SchedulerView& view, JobIndex first) const {
  const double now_s = view.now_s();
  const std::uint64_t quota = quota_of(view, first);
  Plan plan{{}, {now_s, static_cast<std::int64_t>(quota)}};
  for (std::uint32_t pool = 0; pool < view.cluster().pools(); ++pool) {
    const std::uint64_t free = view.cluster().pool(PoolId{pool}).total_free_gpus();
    plan.pools.emplace_back(now_s, static_cast<std::int64_t>(free));
  }
  for (const auto& [end_s, job] : running_.in_order()) {
    const double at_s = std::max(end_s, now_s);
    for (std::uint32_t pool = 0; pool < plan.pools.size(); ++pool) {
      const std::uint64_t gpus = given_back(view, job, PoolId{pool});
      if (gpus > 0) plan.pools[pool].add(at_s, static_cast<std::int64_t>(gpus));
    }
    plan.quota.add(at_s, static_cast<std::int64_t>(view.job(job).held_gpus()));
  }
  return plan;
}

// Where it delays no reservation.
bool Conservative::try_start(Scheduler& scheduler, const Plan& plan, JobIndex job) {
  if (!scheduler.find_place(job, place_)) return false;
  const auto gpus = static_cast<std::int64_t>(scheduler.job(job).gpus());
  const double estimate_s = scheduler.job(job).estimate_left_s();
  for (const PoolId pool : scheduler.pools_of(job)) {
    if (!in_pool(scheduler, place_, pool)) continue;
    if (plan.earliest(pool, gpus, estimate_s) > scheduler.now_s()) return false;
  }
  scheduler.start(job, place_);
  running_.add(scheduler, job);
  return true;
}

void Conservative::decide(Scheduler& scheduler) {
  auto waiting = scheduler.waiting();
  // Nobody is before the first.
  for (; !waiting.empty() && scheduler.try_start(waiting[0]); waiting = waiting.subspan(1)) {
    running_.add(scheduler, waiting[0]);
  }
  // Each job that starts takes a GPU, so no more than these can be looked at.
  const std::uint64_t free = scheduler.cluster().total_gpus() - scheduler.cluster().used_gpus();
  waiting = waiting.first(std::min<std::size_t>(waiting.size(), depth_ + free));
  // The jobs that may start now; a plan without any changes nothing.
  const auto last = std::find_if(waiting.rbegin(), waiting.rend(), [&](JobIndex job) {
                      return may_fit(scheduler, job);
                    }).base();
  if (last == waiting.begin()) return;
  Plan plan = this->plan(scheduler, waiting.front());
  std::size_t reservations = 0;
  for (const JobIndex job : std::span(waiting.begin(), last)) {
    if (reservations == depth_) return;
    const auto gpus = static_cast<std::int64_t>(scheduler.job(job).gpus());
    const double estimate_s = scheduler.job(job).estimate_left_s();
    double at_s = kNever;
    PoolId where{};
    for (const PoolId pool : scheduler.pools_of(job)) {
      const double here_s = plan.earliest(pool, gpus, estimate_s);
      if (here_s < at_s) where = pool;
      at_s = std::min(at_s, here_s);
    }
    if (at_s == kNever) continue;
    if (at_s <= scheduler.now_s() && try_start(scheduler, plan, job)) {
      const auto pools = scheduler.pools_of(job);
      where = *std::find_if(pools.begin(), pools.end(),
                            [&](PoolId pool) { return in_pool(scheduler, place_, pool); });
    } else {
      ++reservations;
    }
    plan.take(where, std::max(at_s, scheduler.now_s()), estimate_s, gpus);
  }
}

void add_backfilling(PolicyRegistry& registry) {
  registry.add_queue(
      {{.name = "easy",
        .summary = "EASY backfilling: jobs start early if they do not delay the head of the queue",
        .source = "Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 2001",
        .needs = {.estimates = true}},
       [](const PolicySetup&) { return std::make_unique<Easy>(); }});
  registry.add_queue(
      {{.name = "conservative",
        .summary = "conservative backfilling: jobs start early if they delay none before them",
        .source = "Mu'alem and Feitelson, IEEE TPDS 2001",
        .parameters = {{.name = "depth",
                        .kind = ParameterKind::integer,
                        .fallback = "500",
                        .help =
                            "reservations at once, of the first jobs in the queue; the others wait",
                        .minimum = 1,
                        .maximum = 1e9}},
        .needs = {.estimates = true}},
       [](const PolicySetup& setup) {
         return std::make_unique<Conservative>(
             static_cast<std::size_t>(setup.parameters.number("depth")));
       }});
}

}  // namespace mosim
