#include <fmt/format.h>

#include <ctime>

#include "mosim/study.hpp"

namespace mosim {
namespace {

// Table V of the paper: what its authors spent on the inputs of their pool.
constexpr double kProfilingGpuHours = 41;
constexpr double kAstraSimCpuHours = 2.7;

constexpr double kSecondsPerHour = 3600;

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

}  // namespace

std::vector<CharacterizationCost> characterization_cost(const Scenario& scenario,
                                                        const std::function<void()>& make) {
  const double before_s = processor_seconds();
  make();
  const double cpu_hours = (processor_seconds() - before_s) / kSecondsPerHour;
  std::vector<CharacterizationCost> rows{
      {"profiling on GPUs (paper)", kProfilingGpuHours, 0, 0},
      {"ASTRA-sim (paper)", 0, kAstraSimCpuHours, 0},
      {"MoSim, backend " + scenario.profile_backend, 0, cpu_hours, 0}};
  for (CharacterizationCost& row : rows) {
    row.dollars = row.gpu_hours * scenario.price_gpu_hour + row.cpu_hours * scenario.price_cpu_hour;
  }
  return rows;
}

std::string cost_table(const std::vector<CharacterizationCost>& rows, const Scenario& scenario) {
  std::string out = fmt::format("{:<30}{:>12}{:>14}{:>14}\n", "construction of the profiles",
                                "GPU-hours", "CPU-hours", "dollars");
  for (const CharacterizationCost& row : rows) {
    out += fmt::format("{:<30}{:>12.3g}{:>14.3g}{:>14.3g}\n", row.method, row.gpu_hours,
                       row.cpu_hours, row.dollars);
  }
  out += fmt::format(
      "at {} dollars an hour of a GPU and {} of a CPU core (cost.gpu_hour, cost.cpu_hour)\n",
      scenario.price_gpu_hour, scenario.price_cpu_hour);
  return out;
}

}  // namespace mosim
