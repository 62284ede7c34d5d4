// Which jobs are on each link (or server) now, in a flat array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {

struct Member {
  std::uint32_t job = 0;
  double demand = 0;
};

// The members of a link are kept in the order of their jobs, so that sums over them do not depend
// on the order in which they came.
class MemberTable {
 public:
  // `capacities[l]`: the most members that link l has, but for jobs that share GPUs: a link with
  // more moves to the end of the array.
  explicit MemberTable(std::span<const std::uint32_t> capacities) : links_(capacities.size()) {
    std::size_t total = 0;
    for (std::size_t link = 0; link < capacities.size(); ++link) {
      links_[link].begin = total;
      links_[link].capacity = capacities[link];
      total += capacities[link];
    }
    members_.resize(total);
  }

  void insert(std::uint32_t link, Member member) {
    Slot& slot = links_[link];
    if (slot.count == slot.capacity) grow(slot);
    Member* first = members_.data() + slot.begin;
    Member* at = first + slot.count;
    while (at != first && (at - 1)->job > member.job) {
      *at = *(at - 1);
      --at;
    }
    *at = member;
    ++slot.count;
  }

  void erase(std::uint32_t link, std::uint32_t job) {
    Slot& slot = links_[link];
    Member* first = members_.data() + slot.begin;
    Member* last = first + slot.count;
    Member* at = std::find_if(first, last, [job](const Member& m) { return m.job == job; });
    std::copy(at + 1, last, at);
    --slot.count;
  }

  [[nodiscard]] std::span<const Member> of(std::uint32_t link) const {
    return {members_.data() + links_[link].begin, links_[link].count};
  }

 private:
  struct Slot {
    std::size_t begin = 0;
    std::uint32_t count = 0;
    std::uint32_t capacity = 0;
  };

  void grow(Slot& slot) {
    const std::size_t begin = members_.size();
    slot.capacity = std::max(4U, 2 * slot.capacity);
    members_.resize(begin + slot.capacity);
    std::copy_n(members_.data() + slot.begin, slot.count, members_.data() + begin);
    slot.begin = begin;
  }

  std::vector<Slot> links_;
  std::vector<Member> members_;
};

// A list of jobs without repetition.
class ChangedJobs {
 public:
  explicit ChangedJobs(std::size_t jobs) : round_of_(jobs, 0) {}

  void add(std::uint32_t job) {
    if (round_of_[job] == round_) return;
    round_of_[job] = round_;
    jobs_.push_back(JobIndex{job});
  }

  [[nodiscard]] std::span<const JobIndex> jobs() const { return jobs_; }

  // What was added since the last call; valid until the next one.
  [[nodiscard]] std::span<JobIndex> take() {
    ++round_;
    taken_.swap(jobs_);
    jobs_.clear();
    return taken_;
  }

 private:
  std::uint64_t round_ = 1;
  std::vector<std::uint64_t> round_of_;  // by job: the round in which it was added last
  std::vector<JobIndex> jobs_;
  std::vector<JobIndex> taken_;
};

}  // namespace mosim
