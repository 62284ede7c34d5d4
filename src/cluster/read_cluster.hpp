// Clusters as other projects describe them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/cluster.hpp"

namespace mosim {

struct ClusterOptions {
  std::string file = {};
  std::string format = "auto";
  std::string date = {};              // of `helios`: the day; empty: the last of the file
  std::string gpu = {};               // where the file does not say; empty: that of ServerGroup
  std::uint32_t gpus_per_server = 0;  // the same; 0: that of ServerGroup
  double nic = 0;                     // the same
  std::string gpu_types = {};         // "G2=A10,G3=T4": what GPU types of the file are called here
};

struct ImportedCluster {
  ClusterSpec spec;
  std::vector<std::string> notes;  // what was left out and what was assumed, for people
};

// MoSim's own form, which is read as a part of a scenario.
inline constexpr std::string_view kOwnClusterFormat = "mosim";

// The names of the formats, `auto` and MoSim's own included.
[[nodiscard]] std::vector<std::string> cluster_format_names();

// The format by name, or for `auto` the one that the content is of; MoSim's own when it is of no
// other.
[[nodiscard]] std::string cluster_format_of(const ClusterOptions& options);

// Reads a cluster of another project: like servers that follow each other make one group. Throws
// InputError.
[[nodiscard]] ImportedCluster import_cluster(const ClusterOptions& options);

// Gives the GPU types of a cluster the names of `gpu_types`. Throws InputError when the text is not
// such a list, or names a type that the cluster does not have.
void rename_gpus(std::vector<ServerGroup>& groups, const std::string& gpu_types);

}  // namespace mosim
