#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mosim/study.hpp"

namespace mosim {
namespace {

using Json = nlohmann::ordered_json;

// What the paper says of the pairs on its testbed, section III-C.
constexpr double kPaperMean = 1.33;
constexpr double kPaperMax = 2.14;

// Columns are numbered: a dozen of model names would not fit on a line.
std::string matrix_text(const PairwiseMatrix& matrix, const char* title, PairMeasure measure) {
  std::string out = fmt::format("{}\n{:19}", title, "");
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) out += fmt::format("{:>6}", i + 1);
  out += '\n';
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    out += fmt::format("{:>2} {:<16}", i + 1, matrix.rows[i].model);
    for (std::size_t j = 0; j < matrix.rows.size(); ++j) {
      out += fmt::format("{:>6.2f}", (matrix.rows[i].*measure)(j));
    }
    out += '\n';
  }
  return out + '\n';
}

std::string range_text(const Range& range) {
  return fmt::format("{:>9.2f}{:>6.2f}{:>6.2f}", range.min, range.mean, range.max);
}

// What each model has alone, and the range over its partners.
std::string ranges_text(const PairwiseMatrix& matrix) {
  std::string out = fmt::format("{:<19}{:>9}{:>9}{:>21}{:>21}{:>21}\n{:<19}{:>9}{:>9}", "",
                                "demand", "S alone", "contention factor", "iteration time",
                                "against profile", "over its partners", "MB/s", "");
  for (int i = 0; i < 3; ++i) out += fmt::format("{:>9}{:>6}{:>6}", "min", "mean", "max");
  out += '\n';
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    const PairwiseRow& row = matrix.rows[i];
    out += fmt::format("{:>2} {:<16}{:>9.1f}{:>9.2f}{}{}{}\n", i + 1, row.model,
                       row.profile.demand() / 1e6, row.alone.factor,
                       range_text(range_over_partners(row, &PairwiseRow::factor_ratio)),
                       range_text(range_over_partners(row, &PairwiseRow::iteration_ratio)),
                       range_text(range_over_partners(row, &PairwiseRow::profile_ratio)));
  }
  return out + '\n';
}

std::string overall_text(const PairwiseMatrix& matrix) {
  const std::size_t models = matrix.rows.size();
  std::string out =
      fmt::format("{:<52}{:>8}{:>8}{:>8}\n", fmt::format("over {} ordered pairs", models * models),
                  "min", "mean", "max");
  const auto line = [&](const char* name, PairMeasure measure) {
    const Range range = range_over_pairs(matrix, measure);
    out += fmt::format("{:<52}{:>8.2f}{:>8.2f}{:>8.2f}\n", name, range.min, range.mean, range.max);
  };
  line("contention factor, against alone in this placement", &PairwiseRow::factor_ratio);
  line("iteration time, against alone in this placement", &PairwiseRow::iteration_ratio);
  line("contention factor S itself", &PairwiseRow::factor);
  line("iteration time, against the profile", &PairwiseRow::profile_ratio);
  return out +
         fmt::format(
             "paper: mean {:.2f}, max {:.2f} (pairs on its testbed; nearest to it are the first "
             "two lines)\n",
             kPaperMean, kPaperMax);
}

Json range_json(const Range& range) {
  return {{"min", range.min}, {"mean", range.mean}, {"max", range.max}};
}

Json row_json(const PairwiseMatrix& matrix, const PairwiseRow& row) {
  Json json;
  json["model"] = row.model;
  json["compute_s"] = row.profile.compute_s;
  json["network_s"] = row.profile.network_s;
  json["demand_bytes_per_s"] = row.profile.demand();
  json["factor_alone"] = row.alone.factor;
  json["iteration_alone_s"] = row.alone.iteration_s;
  json["beside"] = Json::array();
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    json["beside"].push_back({{"model", matrix.rows[i].model},
                              {"factor", row.factor(i)},
                              {"iteration_s", row.beside[i].iteration_s},
                              {"factor_ratio", row.factor_ratio(i)},
                              {"iteration_ratio", row.iteration_ratio(i)},
                              {"profile_ratio", row.profile_ratio(i)}});
  }
  return json;
}

}  // namespace

std::string pairwise_table(const PairwiseMatrix& matrix) {
  return fmt::format("2 servers of {} {}, NIC {}; a job has 4 GPUs on each; contention {}\n\n",
                     matrix.servers.gpus, matrix.servers.gpu,
                     format_quantity(Dimension::bandwidth, matrix.servers.nic), matrix.contention) +
         matrix_text(matrix,
                     "NIC contention factor of the row's job beside the column's, against alone",
                     &PairwiseRow::factor_ratio) +
         matrix_text(matrix, "Iteration time of the row's job beside the column's, against alone",
                     &PairwiseRow::iteration_ratio) +
         ranges_text(matrix) + overall_text(matrix);
}

std::string pairwise_json(const PairwiseMatrix& matrix) {
  Json json;
  json["schema_version"] = 1;
  json["gpu"] = matrix.servers.gpu;
  json["nic_bytes_per_s"] = matrix.servers.nic;
  json["contention"] = matrix.contention;
  json["models"] = Json::array();
  for (const PairwiseRow& row : matrix.rows) json["models"].push_back(row_json(matrix, row));
  Json& overall = json["overall"];
  overall["factor_ratio"] = range_json(range_over_pairs(matrix, &PairwiseRow::factor_ratio));
  overall["iteration_ratio"] = range_json(range_over_pairs(matrix, &PairwiseRow::iteration_ratio));
  overall["factor"] = range_json(range_over_pairs(matrix, &PairwiseRow::factor));
  overall["profile_ratio"] = range_json(range_over_pairs(matrix, &PairwiseRow::profile_ratio));
  json["paper"] = {{"mean", kPaperMean}, {"max", kPaperMax}};
  json["refused"] = matrix.refused;
  return json.dump(2) + "\n";
}

std::string pairwise_csv(const PairwiseMatrix& matrix) {
  std::string out =
      "model,partner,factor,factor_alone,factor_ratio,iteration_s,iteration_alone_s,"
      "iteration_ratio,profile_ratio\n";
  for (const PairwiseRow& row : matrix.rows) {
    for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
      out += fmt::format("{},{},{},{},{},{},{},{},{}\n", row.model, matrix.rows[i].model,
                         row.factor(i), row.alone.factor, row.factor_ratio(i),
                         row.beside[i].iteration_s, row.alone.iteration_s, row.iteration_ratio(i),
                         row.profile_ratio(i));
    }
  }
  return out;
}

}  // namespace mosim
