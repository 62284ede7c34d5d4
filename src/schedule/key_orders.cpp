#include "schedule/key_orders.hpp"

namespace mosim {

KeyOfJob remaining_time(bool estimates) {
  if (estimates) {
    return [](const SchedulerView& view, JobIndex job) { return view.job(job).estimate_left_s(); };
  }
  return [](const SchedulerView& view, JobIndex job) { return view.remaining_s(job); };
}

KeyOfJob remaining_service(bool estimates) {
  return [time = remaining_time(estimates)](const SchedulerView& view, JobIndex job) {
    return time(view, job) * view.job(job).request().gpu_share();
  };
}

double by_priority(const SchedulerView& view, JobIndex job) {
  return -view.job(job).facts().priority;
}

double by_deadline(const SchedulerView& view, JobIndex job) {
  return view.job(job).facts().deadline_s;
}

}  // namespace mosim
