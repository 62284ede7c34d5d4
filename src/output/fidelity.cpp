#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mosim/output.hpp"

namespace mosim {

std::string fidelity_json(const Fidelity& fidelity) {
  nlohmann::ordered_json json;
  json["schema_version"] = 1;
  json["mape_percent"] = {{"avg_training_time", fidelity.avg_training_time},
                          {"avg_jct", fidelity.avg_jct},
                          {"median_jct", fidelity.median_jct},
                          {"p99_jct", fidelity.p99_jct},
                          {"makespan", fidelity.makespan}};
  json["ks"] = fidelity.ks;
  json["wasserstein_s"] = fidelity.wasserstein_s;
  return json.dump(2) + "\n";
}

std::string fidelity_table(const Outcome& measured, const Outcome& simulated,
                           const Fidelity& fidelity) {
  const Distribution was = describe(measured.jct_s);
  const Distribution is = describe(simulated.jct_s);
  std::string out = fmt::format("{} jobs measured, {} simulated\n\n{:<22}{:>14}{:>14}{:>9}\n",
                                measured.jct_s.size(), simulated.jct_s.size(), "", "measured (s)",
                                "simulated (s)", "MAPE");
  const auto row = [&](std::string_view name, double a, double b, double error) {
    out += fmt::format("{:<22}{:>14.1f}{:>14.1f}{:>8.2f}%\n", name, a, b, error);
  };
  row("average training time", mean(measured.training_s), mean(simulated.training_s),
      fidelity.avg_training_time);
  row("average JCT", was.avg, is.avg, fidelity.avg_jct);
  row("median JCT", was.median, is.median, fidelity.median_jct);
  row("P99 JCT", was.p99, is.p99, fidelity.p99_jct);
  row("makespan", measured.makespan_s, simulated.makespan_s, fidelity.makespan);
  out += fmt::format("\nKS distance {:.4f}, Wasserstein distance {:.1f} s (JCT)\n", fidelity.ks,
                     fidelity.wasserstein_s);
  return out;
}

}  // namespace mosim
