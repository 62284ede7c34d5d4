#include <algorithm>

#include "mosim/trace.hpp"

namespace mosim {
namespace {

constexpr std::array<std::string_view, kJobStatuses> kStatusNames{
    "unknown", "completed", "failed", "cancelled", "timed-out", "node-failed", "unfinished"};

constexpr std::array<std::string_view, kFindings> kFindingNames{
    "failed",          "cancelled",    "unfinished",        "never-started",        "zero-gpus",
    "fractional-gpus", "missing-time", "negative-duration", "overlapping-attempts", "bad-row"};

constexpr std::array<std::string_view, 7> kTreatmentNames{"keep",    "drop", "stop", "as-ended",
                                                          "one-gpu", "zero", "merge"};

}  // namespace

std::string_view status_name(JobStatus status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

std::string_view finding_name(Finding finding) {
  return kFindingNames[static_cast<std::size_t>(finding)];
}

std::string_view treatment_name(Treatment treatment) {
  return kTreatmentNames[static_cast<std::size_t>(treatment)];
}

std::vector<Treatment> treatments_of(Finding finding) {
  using enum Treatment;
  switch (finding) {
    case Finding::failed:
    case Finding::cancelled:
      return {keep, drop, as_ended, stop};
    case Finding::unfinished:
      return {drop, as_ended, stop};
    case Finding::never_started:
    case Finding::missing_time:
      return {drop, stop};
    case Finding::zero_gpus:
      return {drop, one_gpu, stop};
    case Finding::fractional_gpus:
      return {keep, drop, stop};
    case Finding::negative_duration:
      return {drop, zero, stop};
    case Finding::overlapping_attempts:
      return {merge, drop, stop};
    case Finding::bad_row:
      return {};
  }
  return {};
}

std::array<Treatment, kFindings> TraceOptions::default_treatments() {
  std::array<Treatment, kFindings> defaults{};
  for (std::size_t finding = 0; finding < kFindings; ++finding) {
    const std::vector<Treatment> allowed = treatments_of(static_cast<Finding>(finding));
    defaults[finding] = allowed.empty() ? Treatment::drop : allowed.front();
  }
  return defaults;
}

}  // namespace mosim
