#include "cluster/read_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cluster/formats.hpp"

namespace mosim {
namespace {

struct ClusterReader {
  std::string_view name;
  std::string_view columns;  // that the header begins with
  bool says_gpu = false;     // the type
  bool says_gpus = false;    // per server
  bool says_racks = false;
  void (*read)(ClusterInput& input);
};

constexpr std::array kReaders{
    ClusterReader{"helios", "date,", false, false, false, read_helios_cluster},
    ClusterReader{"openb", "sn,cpu_milli,memory_mib,gpu,model", true, true, false,
                  read_openb_cluster},
    ClusterReader{"tiresias", "num_switch,num_node_p_switch", false, true, true,
                  read_tiresias_cluster},
    ClusterReader{"lingjun", "ip,DSW,PSW,ASW", false, false, true, read_lingjun_cluster},
};

std::string header_of(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  std::string line(trim(head.substr(0, head.find_first_of("\r\n"))));
  std::erase_if(line, [](char c) { return c == ' ' || c == '"'; });
  return line;
}

const ClusterReader* recognize(const std::string& file) {
  constexpr std::size_t kHead = 1U << 16;
  if (file == kStandardInput) return nullptr;  // it can be read once only
  PeekedSource source(open_source(file, "a cluster file"));
  const std::string header = header_of(source.peek(kHead));
  const auto* const found =
      std::find_if(kReaders.begin(), kReaders.end(), [&](const ClusterReader& reader) {
        return header.starts_with(reader.columns) &&
               (reader.name != "helios" || header.ends_with(",total"));
      });
  return found == kReaders.end() ? nullptr : found;
}

// Alike in everything but their number.
bool alike(const ServerGroup& a, const ServerGroup& b) {
  const auto all = [](const ServerGroup& group) {
    return std::tie(group.gpus, group.gpu, group.nic, group.latency_s, group.intra, group.cpus,
                    group.nics, group.memory, group.servers_per_rack, group.pod,
                    group.virtual_cluster);
  };
  return all(a) == all(b);
}

void merge_neighbours(std::vector<ServerGroup>& groups) {
  std::vector<ServerGroup> merged;
  for (ServerGroup& group : groups) {
    if (!merged.empty() && alike(merged.back(), group)) {
      merged.back().count += group.count;
    } else {
      merged.push_back(std::move(group));
    }
  }
  groups = std::move(merged);
}

// The catalogue's own name for its GPUs; says which types it does not have.
void use_catalogue_names(ImportedCluster& cluster) {
  std::vector<std::string> unknown;
  for (ServerGroup& group : cluster.spec.groups) {
    if (const GpuSpec* gpu = find_gpu(group.gpu)) {
      group.gpu = gpu->name;
    } else if (std::find(unknown.begin(), unknown.end(), group.gpu) == unknown.end()) {
      unknown.push_back(group.gpu);
    }
  }
  if (unknown.empty()) return;
  cluster.notes.push_back(fmt::format(
      "the catalogue does not have the GPU types {}; cluster.gpu_types={}=NAME gives one a name",
      join(unknown, ", "), unknown.front()));
}

// What the file leaves open, from the options or as any group of servers has it.
ServerGroup usual_server(const ClusterReader& reader, const ClusterOptions& options,
                         std::vector<std::string>& notes) {
  ServerGroup server{.count = 1};
  std::vector<std::string> assumed;
  if (!options.gpu.empty()) {
    server.gpu = options.gpu;
  } else if (!reader.says_gpu) {
    assumed.push_back(fmt::format("GPUs are {} (cluster.gpu)", server.gpu));
  }
  if (options.gpus_per_server > 0) {
    server.gpus = options.gpus_per_server;
  } else if (!reader.says_gpus) {
    assumed.push_back(fmt::format("{} a server (cluster.gpus_per_server)", server.gpus));
  }
  if (options.nic > 0) {
    server.nic = options.nic;
  } else {
    assumed.push_back(fmt::format("a NIC has {} (cluster.nic)",
                                  format_quantity(Dimension::bandwidth, server.nic)));
  }
  if (!reader.says_racks) assumed.emplace_back("each group of like servers is a rack");
  if (!assumed.empty()) {
    notes.push_back(fmt::format("the cluster file does not say, assumed: {}", join(assumed, ", ")));
  }
  return server;
}

std::pair<std::string, std::string> parse_renaming(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  std::pair<std::string, std::string> names(trim(text.substr(0, equals)),
                                            trim(text.substr(std::min(equals + 1, text.size()))));
  if (names.first.empty() || names.second.empty()) {
    throw InputError({"cluster.gpu_types", {}}, fmt::format("'{}' is not a renaming", text),
                     "a list such as G2=A10,G3=T4");
  }
  return names;
}

}  // namespace

std::vector<std::string> cluster_format_names() {
  std::vector<std::string> names{"auto", std::string(kOwnClusterFormat)};
  for (const ClusterReader& reader : kReaders) names.emplace_back(reader.name);
  return names;
}

std::string cluster_format_of(const ClusterOptions& options) {
  if (options.format != "auto") return options.format;
  const ClusterReader* reader = recognize(options.file);
  return std::string(reader == nullptr ? kOwnClusterFormat : reader->name);
}

ImportedCluster import_cluster(const ClusterOptions& options) {
  const std::string format = cluster_format_of(options);
  const auto* const reader =
      std::find_if(kReaders.begin(), kReaders.end(),
                   [&](const ClusterReader& known) { return known.name == format; });
  if (reader == kReaders.end()) {
    throw InputError({options.file, {}}, fmt::format("is of format '{}'", format),
                     one_of(format, cluster_format_names()));
  }
  ImportedCluster cluster;
  Problems problems;
  CsvReader csv(options.file, fmt::format("a cluster in the {} format", format));
  ClusterInput input{options, csv, usual_server(*reader, options, cluster.notes), cluster,
                     problems};
  reader->read(input);
  problems.throw_if_any();
  if (cluster.spec.groups.empty()) {
    throw InputError({options.file, {}}, "has no server with a GPU", "at least one");
  }
  rename_gpus(cluster.spec.groups, options.gpu_types);
  use_catalogue_names(cluster);
  merge_neighbours(cluster.spec.groups);
  return cluster;
}

void rename_gpus(std::vector<ServerGroup>& groups, const std::string& gpu_types) {
  std::set<std::string> known;
  for (const ServerGroup& group : groups) known.insert(group.gpu);
  std::vector<std::string> names(groups.size());
  for (const std::string_view part : split(gpu_types, ',')) {
    const auto [from, to] = parse_renaming(part);
    if (!known.contains(from)) {
      throw InputError(
          {"cluster.gpu_types", {}},
          fmt::format("names the GPU type '{}', which the cluster does not have", from),
          one_of(from, std::vector<std::string>(known.begin(), known.end())));
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].gpu == from) names[i] = to;
    }
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!names[i].empty()) groups[i].gpu = names[i];
  }
}

}  // namespace mosim
