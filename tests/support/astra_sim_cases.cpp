#include "support/astra_sim_cases.hpp"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

namespace mosim::test {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace

std::vector<CsvLine> read_plain_csv(const std::string& path) {
  std::vector<CsvLine> lines;
  const std::vector<std::string> rows = split(read_text(path), '\n');
  const std::vector<std::string> header = split(rows.at(0), ',');
  for (std::size_t row = 1; row < rows.size(); ++row) {
    std::vector<std::string> cells = split(rows[row], ',');
    cells.resize(header.size());
    CsvLine& line = lines.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) line[header[i]] = cells[i];
  }
  return lines;
}

std::string astra_sim_path(const std::string& below) {
  return shared_path("astra-sim-runs/" + below);
}

IterationTrace recorded_trace(const std::string& name, std::uint32_t ranks, std::uint32_t rank) {
  IterationTrace trace;
  trace.ranks = ranks;
  for (const CsvLine& line : read_plain_csv(astra_sim_path(name + "/nodes.csv"))) {
    if (line.at("rank") != "all" && line.at("rank") != std::to_string(rank)) continue;
    TraceNode& node = trace.nodes.emplace_back();
    node.name = line.at("name");
    for (const std::string& id : split(line.at("data_deps"), ' ')) {
      node.after.push_back(static_cast<std::uint32_t>(std::stoul(id)));
    }
    if (line.at("type") == "COMM_COLL_NODE") {
      node.collective = Collective::all_reduce;  // all that was recorded
      node.bytes = std::stod(line.at("comm_size"));
    } else if (!line.at("num_ops").empty()) {
      node.compute_s = std::stod(line.at("num_ops")) / 1e12;  // peak-perf 1 TFLOPS
    } else {
      node.compute_s = std::stod(line.at("duration_us")) / 1e6;
    }
  }
  return trace;
}

AstraSimOptions recorded_options(const std::string& name, bool congestion_aware) {
  const YAML::Node network = YAML::LoadFile(astra_sim_path(name + "/network.yml"));
  const auto system = nlohmann::json::parse(read_text(astra_sim_path(name + "/system.json")));
  AstraSimOptions options;
  options.congestion_aware = congestion_aware;
  for (std::size_t d = 0; d < network["npus_count"].size(); ++d) {
    options.dimensions.push_back({network["npus_count"][d].as<std::uint32_t>(),
                                  network["bandwidth"][d].as<double>() * 1073741824.0,
                                  network["latency"][d].as<double>() / 1e9});
  }
  options.active_chunks = system["active-chunks-per-dimension"];
  options.dataset_splits = system["preferred-dataset-splits"];
  options.endpoint_delay_ns = system["endpoint-delay"];
  options.local_mem_bw = system["local-mem-bw"].get<double>() * 1e9;
  return options;
}

std::string stand_in(const TemporaryFolder& folder, const std::string& name) {
  const std::string link = folder.path(name);
  std::filesystem::create_symlink(MOSIM_ASTRA_SIM_STAND_IN, link);
  return link;
}

}  // namespace mosim::test
