// The formats of clusters: each has a reader and columns by which it is recognised. docs/formats.md
// describes them for users.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/csv.hpp"
#include "base/problems.hpp"
#include "cluster/read_cluster.hpp"

namespace mosim {

// What a reader works with. Servers go into `cluster` in order, one group for each is fine; all
// that the file does not say comes from `server`.
struct ClusterInput {
  const ClusterOptions& options;
  CsvReader& csv;
  ServerGroup server;
  ImportedCluster& cluster;
  Problems& problems;
};

// Daily GPUs of each virtual cluster: date,<virtual cluster>...,total. Source: HeliosData's
// cluster_gpu_number.csv (Hu et al., SC 2021).
void read_helios_cluster(ClusterInput& input);

// A list of nodes: sn,cpu_milli,memory_mib,gpu,model. Source: the openb_node_list files of
// Alibaba's cluster-trace-gpu-v2023 (Weng et al., ATC 2023).
void read_openb_cluster(ClusterInput& input);

// Switches of like nodes: num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node.
// Source: the cluster specifications of Tiresias' simulator (Gu et al., NSDI 2019).
void read_tiresias_cluster(ClusterInput& input);

// The switches above each host: ip,DSW,PSW,ASW. Source: topo.csv of alibaba-lingjun-dataset-2023
// (Cao et al., SIGCOMM 2024).
void read_lingjun_cluster(ClusterInput& input);

}  // namespace mosim
