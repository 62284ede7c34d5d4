// The future events: an indexed heap with at most one event per job.
#pragma once

#include <cstdint>
#include <vector>

#include "mosim/base.hpp"

namespace mosim {

// In the order in which events of one time are handled.
enum class EventKind : std::uint8_t { complete, communication_end, compute_end, loaded };

struct Event {
  double time = 0;
  EventKind kind{};
  JobIndex job{};
};

// Events come out by time, then kind, then job, so ties never depend on the history of the heap.
// A 4-ary heap: half the depth of a binary one, and four keys share a cache line.
class EventQueue {
 public:
  explicit EventQueue(std::size_t jobs) : place_(jobs, kAbsent) {}

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] double next_time() const { return heap_.front().time; }

  // The job has no event yet.
  void push(const Event& event) {
    const Entry entry{event.time, order_of(event.kind, event.job)};
    heap_.push_back(entry);
    sift_up(heap_.size() - 1, entry);
  }

  // Moves the job's event to another time.
  void change_time(JobIndex job, double time) {
    const std::size_t at = place_[index(job)];
    const Entry entry{time, heap_[at].order};
    if (before(entry, heap_[at])) {
      sift_up(at, entry);
    } else {
      sift_down(at, entry);
    }
  }

  // Takes the job's event out.
  void erase(JobIndex job) {
    const std::size_t at = place_[index(job)];
    const Entry last = heap_.back();
    heap_.pop_back();
    place_[index(job)] = kAbsent;
    if (at == heap_.size()) return;
    if (before(last, heap_[at])) {
      sift_up(at, last);
    } else {
      sift_down(at, last);
    }
  }

  Event pop() {
    const Entry first = heap_.front();
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(0, last);
    const JobIndex job{static_cast<std::uint32_t>(first.order)};
    place_[index(job)] = kAbsent;
    return {first.time, static_cast<EventKind>(first.order >> 32), job};
  }

 private:
  struct Entry {
    double time;
    std::uint64_t order;  // kind, then job
  };
  static constexpr std::uint32_t kAbsent = 0xffffffff;
  static constexpr std::size_t kArity = 4;

  static std::uint64_t order_of(EventKind kind, JobIndex job) {
    return (std::uint64_t{static_cast<std::uint8_t>(kind)} << 32) | static_cast<std::uint32_t>(job);
  }
  static bool before(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  }
  void put(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    place_[static_cast<std::uint32_t>(entry.order)] = static_cast<std::uint32_t>(at);
  }

  void sift_up(std::size_t at, const Entry& entry) {
    while (at > 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!before(entry, heap_[parent])) break;
      put(at, heap_[parent]);
      at = parent;
    }
    put(at, entry);
  }

  void sift_down(std::size_t at, const Entry& entry) {
    const std::size_t size = heap_.size();
    for (;;) {
      const std::size_t first = kArity * at + 1;
      if (first >= size) break;
      const std::size_t last = first + kArity < size ? first + kArity : size;
      std::size_t least = first;
      for (std::size_t child = first + 1; child < last; ++child) {
        if (before(heap_[child], heap_[least])) least = child;
      }
      if (!before(heap_[least], entry)) break;
      put(at, heap_[least]);
      at = least;
    }
    put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> place_;  // by job: where its event is in the heap
};

}  // namespace mosim
