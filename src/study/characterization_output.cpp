#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mosim/metrics.hpp"
#include "mosim/study.hpp"

namespace mosim {
namespace {

using Json = nlohmann::ordered_json;

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }
std::string megabytes(double bytes) { return fmt::format("{:.3f}", bytes / 1e6); }

double median_of(const std::vector<double>& values) {
  return values.empty() ? 0 : describe(values).median;
}

}  // namespace

std::string characterization_table(const CharacterizedPool& pool) {
  std::string out = fmt::format("{:<17}{:>6}{:>12}{:>13}{:>13}{:>13}{:>13}{:>13}{:>11}\n", "model",
                                "GPUs", "compute ms", "network ms", "exposed ms", "iteration ms",
                                "MB/worker", "demand MB/s", "memory GB");
  for (const CharacterizedRow& row : pool.rows) {
    const JobProfile& profile = row.profile;
    out += fmt::format("{:<17}{:>6}", row.model, row.gpus);
    if (row.detail) {
      const Characterization& detail = *row.detail;
      out += fmt::format("{:>12}{:>13}{:>13}{:>13}{:>13}{:>13}{:>10.2f}{}\n",
                         milliseconds(detail.compute_s), milliseconds(detail.network_total_s),
                         milliseconds(detail.network_exposed_s), milliseconds(detail.iteration_s()),
                         megabytes(detail.volume), megabytes(detail.demand()), detail.memory / 1e9,
                         detail.fits ? "" : "  does not fit");
    } else {
      out += fmt::format("{:>12}{:>13}{:>13}{:>13}{:>13}{:>13}{:>11}\n",
                         milliseconds(profile.compute_s), milliseconds(profile.network_s), "-",
                         milliseconds(profile.iteration_s()), megabytes(profile.volume),
                         megabytes(profile.demand()), "-");
    }
  }
  return out;
}

std::string characterization_json(const CharacterizedPool& pool) {
  Json json;
  json["schema_version"] = 1;
  json["profiles"] = Json::array();
  for (const CharacterizedRow& row : pool.rows) {
    Json item;
    item["model"] = row.model;
    item["gpus"] = row.gpus;
    item["compute_s"] = row.profile.compute_s;
    item["network_s"] = row.profile.network_s;
    item["volume_bytes"] = row.profile.volume;
    item["demand_bytes_per_s"] = row.profile.demand();
    item["loading_s"] = row.profile.loading_s;
    if (row.detail) {
      const Characterization& detail = *row.detail;
      Json& more = item["detail"];
      more["forward_s"] = detail.forward_s;
      more["backward_s"] = detail.backward_s;
      more["optimizer_s"] = detail.optimizer_s;
      more["bubble_s"] = detail.bubble_s;
      more["compute_s"] = detail.compute_s;
      more["network_total_s"] = detail.network_total_s;
      more["network_exposed_s"] = detail.network_exposed_s;
      more["iteration_s"] = detail.iteration_s();
      more["memory_bytes"] = detail.memory;
      more["fits"] = detail.fits;
    }
    json["profiles"].push_back(std::move(item));
  }
  json["refused"] = pool.refused;
  return json.dump(2) + "\n";
}

// Shortest digits that read back to the same doubles, so that a frozen table changes no result.
std::string characterization_csv(const CharacterizedPool& pool) {
  std::string out = "model,gpus,compute_s,network_s,volume_B,loading_s\n";
  for (const CharacterizedRow& row : pool.rows) {
    out += fmt::format("{},{},{},{},{},{}\n", row.model, row.gpus, row.profile.compute_s,
                       row.profile.network_s, row.profile.volume, row.profile.loading_s);
  }
  return out;
}

std::string operator_table(const CharacterizedRow& row) {
  if (!row.detail) return "";
  const Characterization& detail = *row.detail;
  std::string out = fmt::format(
      "{} on {} GPUs\n\n{:<52}{:<15}{:>13}{:>12}{:>11}{:>12}{:>12}{:>12}\n", row.model, row.gpus,
      "operator", "kind", "parameters", "GFLOP", "MB", "forward us", "by input us", "by weight us");
  for (const OperatorCost& op : detail.operators) {
    out +=
        fmt::format("{:<52}{:<15}{:>13.0f}{:>12.3f}{:>11.1f}{:>12.1f}{:>12.1f}{:>12.1f}\n", op.name,
                    operator_kind_name(op.kind), op.parameters, op.operations / 1e9, op.bytes / 1e6,
                    op.forward_s * 1e6, op.backward_input_s * 1e6, op.backward_weight_s * 1e6);
  }
  out += fmt::format(
      "\nforward {} ms, backward {} ms, optimizer {} ms, bubble {} ms; memory {:.2f} GB\n",
      milliseconds(detail.forward_s), milliseconds(detail.backward_s),
      milliseconds(detail.optimizer_s), milliseconds(detail.bubble_s), detail.memory / 1e9);
  if (detail.transfers.empty()) return out;
  out += fmt::format("\n{:<52}{:<15}{:<13}{:>6}{:>12}{:>12}{:>12}{:>12}{:>7}\n", "collective",
                     "kind", "group", "ranks", "MB", "MB sent", "start us", "end us", "times");
  for (const Transfer& transfer : detail.transfers) {
    out += fmt::format("{:<52}{:<15}{:<13}{:>6}{:>12}{:>12}{:>12.1f}{:>12.1f}{:>7.0f}\n",
                       transfer.name, collective_name(transfer.collective),
                       communicator_name(transfer.group), transfer.ranks, megabytes(transfer.bytes),
                       megabytes(transfer.sent), transfer.start_s * 1e6, transfer.end_s * 1e6,
                       transfer.times);
  }
  return out;
}

std::string comparison_table(const ArtifactComparison& comparison) {
  std::string out = fmt::format("{:<17}{:>13}{:>14}{:>9}{:>10}{:>9}\n", "one GPU, compute",
                                "measured (s)", "ASTRA-sim (s)", "error", "ours (s)", "error");
  std::vector<double> theirs;
  std::vector<double> ours;
  std::vector<double> theirs_s;
  std::vector<double> ours_s;
  for (const ComputeComparison& row : comparison.compute) {
    const auto error = [&](double value) { return 100 * (value / row.measured_s - 1); };
    out += fmt::format("{:<17}{:>13.4f}", row.model, row.measured_s);
    if (row.astra_sim_s) {
      theirs.push_back(std::abs(error(*row.astra_sim_s)));
      theirs_s.push_back(std::abs(*row.astra_sim_s - row.measured_s));
      ours.push_back(std::abs(error(row.ours_s)));
      ours_s.push_back(std::abs(row.ours_s - row.measured_s));
      out += fmt::format("{:>14.4f}{:>8.1f}%", *row.astra_sim_s, error(*row.astra_sim_s));
    } else {
      out += fmt::format("{:>14}{:>9}", "-", "-");
    }
    out += fmt::format("{:>10.4f}{:>8.1f}%\n", row.ours_s, error(row.ours_s));
  }
  out += fmt::format(
      "median of the absolute errors over {} models: ASTRA-sim {:.1f}% ({:.4f} s), "
      "ours {:.1f}% ({:.4f} s)\n\n",
      ours.size(), median_of(theirs), median_of(theirs_s), median_of(ours), median_of(ours_s));
  out += fmt::format("{:<17}{:>6}{:>15}{:>12}{:>9}\n", "volume a worker", "GPUs", "artifact (MB)",
                     "ours (MB)", "error");
  double largest = 0;
  for (const VolumeComparison& row : comparison.volume) {
    const double error = 100 * (row.ours / row.artifact - 1);
    largest = std::max(largest, std::abs(error));
    out += fmt::format("{:<17}{:>6}{:>15}{:>12}{:>8.3f}%\n", row.model, row.gpus,
                       megabytes(row.artifact), megabytes(row.ours), error);
  }
  out += fmt::format("largest difference of volume over {} rows: {:.3f}%\n",
                     comparison.volume.size(), largest);
  return out;
}

}  // namespace mosim
