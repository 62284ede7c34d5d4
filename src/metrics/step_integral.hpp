// The integral over time of a quantity that changes at known times.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

namespace mosim {

class StepIntegral {
 public:
  // From `time_s` on, which is not before the last one, the quantity is `value`.
  void change(double time_s, double value) {
    if (!steps_.empty() && steps_.back().value == value) return;
    steps_.push_back({time_s, value, steps_.empty() ? 0 : until(steps_.back(), time_s)});
  }

  // From one time to another that is not before it; the quantity is 0 before the first change.
  [[nodiscard]] double between(double from_s, double to_s) const {
    const Step* first = step_at(from_s);
    const Step* last = step_at(to_s);
    if (last == nullptr) return 0;
    // Not as a difference of sums: exact for a value that stays.
    if (first == last) return last->value * (to_s - from_s);
    return until(*last, to_s) - (first == nullptr ? 0 : until(*first, from_s));
  }

 private:
  struct Step {
    double time_s = 0;
    double value = 0;
    double before = 0;  // the integral up to then
  };

  static double until(const Step& step, double time_s) {
    return step.before + step.value * (time_s - step.time_s);
  }

  [[nodiscard]] const Step* step_at(double time_s) const {
    const auto later =
        std::upper_bound(steps_.begin(), steps_.end(), time_s,
                         [](double time, const Step& step) { return time < step.time_s; });
    return later == steps_.begin() ? nullptr : &*std::prev(later);
  }

  std::vector<Step> steps_;
};

}  // namespace mosim
