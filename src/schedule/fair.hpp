// Fairness between users, groups or virtual clusters: whoever has had the least goes first.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <vector>

#include "mosim/registry.hpp"

namespace mosim {

void add_fair_queues(PolicyRegistry& registry);

// Who shares the cluster.
enum class Sharer : std::uint8_t { user, group, virtual_cluster };

// One of them.
struct Account {
  double usage = 0;  // GPU-seconds until `since_s`, decayed
  double since_s = 0;
  std::uint64_t gpus = 0;  // that its jobs hold now
  std::uint64_t cpus = 0;
  std::uint64_t memory_mb = 0;
  std::map<std::uint32_t, std::deque<JobIndex>> waiting = {};  // by fit class, by submission
  std::vector<JobIndex> running = {};
};

// The jobs of the account with the least go first, in the order of submission; of accounts with as
// much, those of the one that holds fewer GPUs.
class FairQueue : public Policy {
 public:
  // `strict`: the first job that does not fit blocks all others.
  FairQueue(Sharer sharer, bool strict) : sharer_(sharer), strict_(strict) {}

  void on_submit(const SchedulerView& view, JobIndex job) override;
  void on_requeue(const SchedulerView& view, JobIndex job) override;
  void on_end(const SchedulerView& view, JobIndex job) override;
  void decide(Scheduler& scheduler) override;

 protected:
  // How much an account has, or had, now.
  [[nodiscard]] virtual double had(const Account& account, double now_s) const = 0;
  // What the account holds is about to change.
  virtual void settle(Account& account, double now_s) const { (void)account, (void)now_s; }
  // Called before the first job starts.
  virtual void look_at(const ClusterState& cluster) { (void)cluster; }

  [[nodiscard]] std::vector<Account>& accounts() { return accounts_; }
  [[nodiscard]] Account& account_of(const SchedulerView& view, JobIndex job);
  void book_start(const SchedulerView& view, JobIndex job);
  void book_stop(const SchedulerView& view, JobIndex job);
  void start_all(Scheduler& scheduler);

 private:
  struct Candidate {
    double had = 0;
    std::uint64_t gpus = 0;  // that its account holds
    JobIndex job{};
    std::uint32_t fit_class = 0;
    std::size_t account = 0;
  };
  static bool comes_later(const Candidate& a, const Candidate& b);
  void push(double now_s, std::size_t account);

  Sharer sharer_;
  bool strict_;
  bool looked_ = false;
  std::vector<Account> accounts_;
  std::vector<Candidate> candidates_;  // of the current visit: a heap, the next first
  std::vector<bool> blocked_;          // by fit class: does not fit in the current visit
};

// Fair share by past usage that decays, as the fair-share factor 2^(-usage/share) of Slurm's
// multifactor plugin orders jobs when all shares are equal.
class FairShare : public FairQueue {
 public:
  struct Options {
    Sharer sharer = Sharer::user;
    double half_life_s = 0;  // 0: only what an account holds now counts
    bool preempt = false;
    bool strict = false;
  };
  explicit FairShare(const Options& options)
      : FairQueue(options.sharer, options.strict), options_(options) {}

  void decide(Scheduler& scheduler) override;

 protected:
  [[nodiscard]] double had(const Account& account, double now_s) const override;
  void settle(Account& account, double now_s) const override;

 private:
  bool preempt_for_one(Scheduler& scheduler);
  bool make_room(Scheduler& scheduler, JobIndex job);
  [[nodiscard]] JobIndex find_victim(const SchedulerView& view, JobIndex job);

  Options options_;
};

// Dominant Resource Fairness (Ghodsi et al., NSDI 2011): of GPUs, CPU cores and memory, the part
// that an account holds of the resource of which it holds the largest part. What the servers do not
// limit does not count.
class DominantShare : public FairQueue {
 public:
  using FairQueue::FairQueue;

 protected:
  [[nodiscard]] double had(const Account& account, double now_s) const override;
  void look_at(const ClusterState& cluster) override;

 private:
  double gpus_ = 0;
  double cpus_ = 0;       // 0: not limited
  double memory_mb_ = 0;  // 0: not limited
};

}  // namespace mosim
