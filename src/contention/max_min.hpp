// Max-min fair rates of jobs over links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mosim {

// Progressive filling: the rates of all jobs rise together, in proportion to their weights. A job
// stops at its demand, or when a link that it uses is full. Jobs of a lower priority number are
// served first, the rest share what is left. Reused between solutions, it allocates only while its
// instances grow. Source: Bertsekas and Gallager, Data Networks, 2nd ed., section 6.5.2.
class MaxMinSolver {
 public:
  void clear();

  // A link that carries `capacity`; links are numbered from 0.
  void add_link(double capacity);
  // A job that wants the rate `demand` > 0; jobs are numbered from 0.
  void add_job(double demand, double weight = 1, std::uint32_t priority = 0);
  // The job added last puts `load` > 0 on the link for a rate of 1. Each link once.
  void add_use(std::uint32_t link, double load);

  // The rate of each job: the solution is exact but for rounding. Cost: (jobs + uses) x log.
  std::span<const double> solve();

 private:
  struct Link {
    double room = 0;  // what the jobs that have stopped leave
    double pull = 0;  // by how much the load rises with the level
    std::uint32_t rising = 0;
    std::uint32_t first_user = 0;  // in users_

    [[nodiscard]] double full_at() const { return room > 0 ? room / pull : 0; }
  };
  struct Job {
    double demand = 0;
    double weight = 1;
    std::uint32_t priority = 0;
    std::uint32_t first_use = 0;  // in uses_
    bool stopped = false;

    [[nodiscard]] double satisfied_at() const { return demand / weight; }
  };
  struct Use {
    std::uint32_t link = 0;
    double load = 0;
  };
  struct Entry {
    double level = 0;
    std::uint32_t link = 0;
  };

  void list_users();
  void fill(std::span<const std::uint32_t> jobs);
  bool next_full_link(Entry& found);
  void stop(std::uint32_t job, double rate);
  [[nodiscard]] std::span<const Use> uses_of(std::uint32_t job) const;
  [[nodiscard]] std::span<const std::uint32_t> users_of(std::uint32_t link) const;

  std::vector<Link> links_;
  std::vector<Job> jobs_;
  std::vector<Use> uses_;             // by job
  std::vector<std::uint32_t> users_;  // jobs by link
  std::vector<std::uint32_t> order_;  // jobs by priority and level
  std::vector<Entry> heap_;
  std::vector<double> rates_;
};

}  // namespace mosim
