// Clusters of other projects: the real files, and what is wrong with bad ones.
#include "cluster/read_cluster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "mosim/fabric.hpp"
#include "mosim/output.hpp"
#include "mosim/scenario.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

std::map<std::string, std::uint64_t> gpus_by_type(const ClusterSpec& spec) {
  std::map<std::string, std::uint64_t> gpus;
  for (const ServerGroup& group : spec.groups) {
    gpus[group.gpu] += std::uint64_t{group.count} * group.gpus;
  }
  return gpus;
}

bool any_note_has(const ImportedCluster& cluster, const std::string& text) {
  for (const std::string& note : cluster.notes) {
    if (note.find(text) != std::string::npos) return true;
  }
  return false;
}

class ReadCluster : public ::testing::Test {
 protected:
  ImportedCluster read(const std::string& content, ClusterOptions options = {}) {
    options.file = folder_.write("cluster.csv", content);
    return import_cluster(options);
  }

  // Expects the content to be refused with a message that has `part` in it.
  void refused(const std::string& content, const std::string& part, ClusterOptions options = {}) {
    try {
      (void)read(content, std::move(options));
      ADD_FAILURE() << "accepted:\n" << content;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }

 private:
  test::TemporaryFolder folder_;
};

// awk -F, 'NR>1 && $4>0{k=$2" "$3" "$4" "$5; if(k!=p)n++; p=k; s++; g+=$4} END{print n,s,g}'
// gives 405 1213 6212 for both files.
TEST_F(ReadCluster, OpenbHasItsNodesWithGpus) {
  const std::string file =
      test::shared_path("traces/alibaba-openb-2023/openb_node_list_all_node.csv");
  MOSIM_NEEDS(file);
  const ImportedCluster cluster = import_cluster({.file = file});
  EXPECT_EQ(cluster.spec.servers(), 1213U);
  EXPECT_EQ(cluster.spec.gpus(), 6212U);
  EXPECT_EQ(cluster.spec.groups.size(), 405U);
  EXPECT_TRUE(any_note_has(cluster, "left out: 310 nodes without GPUs"));
  EXPECT_TRUE(any_note_has(cluster, "GPU types G3, G2"));
  // awk -F, 'NR>1{g[$5]+=$4} END{for(k in g)print k,g[k]}'
  EXPECT_EQ(gpus_by_type(cluster.spec),
            (std::map<std::string, std::uint64_t>{{"A10", 2},
                                                  {"G2", 4392},
                                                  {"G3", 312},
                                                  {"P100-PCIE-16GB", 265},
                                                  {"T4", 842},
                                                  {"V100-SXM2-16GB", 195},
                                                  {"V100-SXM2-32GB", 204}}));
}

TEST_F(ReadCluster, OpenbGpuTypesGetNames) {
  const std::string file =
      test::shared_path("traces/alibaba-openb-2023/openb_node_list_gpu_node.csv");
  MOSIM_NEEDS(file);
  const ImportedCluster cluster =
      import_cluster({.file = file, .nic = 1e9, .gpu_types = "G2=A10, G3=A100-SXM4-80GB"});
  EXPECT_EQ(cluster.notes.size(), 1U);
  EXPECT_TRUE(any_note_has(cluster, "assumed: each group of like servers is a rack"));
  EXPECT_EQ(gpus_by_type(cluster.spec)["A10"], 4394U);
  EXPECT_EQ(gpus_by_type(cluster.spec)["A100-SXM4-80GB"], 312U);
  const ServerGroup& first = cluster.spec.groups.front();  // 64000,262144,2,P100
  EXPECT_EQ(first.cpus, 64U);
  EXPECT_EQ(first.memory, 262144.0 * 1048576);
  EXPECT_EQ(first.gpus, 2U);
  EXPECT_EQ(first.nic, 1e9);
}

TEST_F(ReadCluster, LikeNeighboursMakeOneGroup) {
  const ImportedCluster cluster = read(
      "sn,cpu_milli,memory_mib,gpu,model\n"
      "a,8000,1024,2,T4\nb,8000,1024,2,T4\nc,8000,1024,0,\nd,8000,1024,2,T4\n"
      "e,8000,1024,1,T4\nf,8000,1024,2,T4\n");
  ASSERT_EQ(cluster.spec.groups.size(), 3U);
  EXPECT_EQ(cluster.spec.groups[0].count, 3U);  // a, b and d: c has no GPU
  EXPECT_EQ(cluster.spec.groups[1].count, 1U);
  EXPECT_EQ(cluster.spec.groups[2].count, 1U);
}

TEST_F(ReadCluster, OpenbRefusesWhatIsNoNode) {
  const std::string header = "sn,cpu_milli,memory_mib,gpu,model\n";
  refused(header + "a,8000,1024,x,T4\n", "cluster.csv:2:13: gpu is 'x'");
  refused(header + "a,8000,1024,2,\n", ":2:15: model is empty");
  refused(header + "a,8000,1024,2\n", ":2:1: has 4 fields");
  refused(header + "a,80,1024,2,T4\n", ":2:3: cpu_milli is '80'");
  refused(header + "a,8000,1024,0,\n", "has no server with a GPU");
  refused(header + "a,8000,1024,2,T4\n", "names the GPU type 'T44'", {.gpu_types = "T44=T4"});
  refused(header + "a,8000,1024,2,T4\n", "'T4:A10' is not a renaming", {.gpu_types = "T4:A10"});
  refused("sn,cpu_milli,gpu,model\n", "has no column 'memory_mib'", {.format = "openb"});
}

// awk -F, '$1==DAY{for(i=2;i<NF;i++) if($i>0){n++; s+=$i/8}; print n,s,$NF}' gives 19 151 1208 for
// the last day and 16 98 784 for 2020-04-01.
TEST_F(ReadCluster, HeliosHasTheClusterOfADay) {
  const std::string file = test::shared_path("traces/helios/Earth_gpu_number.csv");
  MOSIM_NEEDS(file);
  const ImportedCluster last = import_cluster({.file = file});
  EXPECT_EQ(last.spec.virtual_clusters.size(), 19U);
  EXPECT_EQ(last.spec.servers(), 151U);
  EXPECT_EQ(last.spec.gpus(), 1208U);
  EXPECT_TRUE(any_note_has(last, "as of 2020-09-28; left out, without GPUs on that day: vc8Sj"));
  const ImportedCluster first = import_cluster({.file = file, .date = "2020-04-01", .gpu = "P100"});
  EXPECT_EQ(first.spec.virtual_clusters.size(), 16U);
  EXPECT_EQ(first.spec.servers(), 98U);
  EXPECT_EQ(first.spec.gpus(), 784U);
  EXPECT_EQ(first.spec.virtual_clusters[1].name, "vc6YE");  // vc4om and vcVP5 have none
  EXPECT_EQ(first.spec.groups[1].virtual_cluster, "vc6YE");
  EXPECT_EQ(first.spec.groups[1].count, 16U);  // 128 GPUs
  EXPECT_EQ(first.spec.groups[1].gpu, "P100-PCIE-16GB");
}

TEST_F(ReadCluster, HeliosGpusThatFillNoServerMakeASmallerOne) {
  const ImportedCluster cluster = read("date,a,b,c,total\n2020-09-01,20,0,3,23\n");
  ASSERT_EQ(cluster.spec.groups.size(), 3U);
  EXPECT_EQ(cluster.spec.groups[0].count, 2U);
  EXPECT_EQ(cluster.spec.groups[0].gpus, 8U);
  EXPECT_EQ(cluster.spec.groups[1].gpus, 4U);
  EXPECT_EQ(cluster.spec.groups[1].virtual_cluster, "a");
  EXPECT_EQ(cluster.spec.groups[2].gpus, 3U);
  EXPECT_EQ(cluster.spec.groups[2].virtual_cluster, "c");
  EXPECT_EQ(cluster.spec.gpus(), 23U);
}

TEST_F(ReadCluster, HeliosRefusesWhatIsNoDay) {
  const std::string rows = "date,a,total\n2020-09-01,8,8\n2020-09-02,16,16\n";
  refused(rows,
          "no row of the date '2020-09-03'; expected a date as the file writes it, 2020-09-01",
          {.date = "2020-09-03"});
  refused("date,a,total\n2020-09-01,8,9\n", ":2:14: total is 9; expected 8");
  refused("date,a,total\n2020-09-01,-8,-8\n", ":2:12: a is '-8'");
  refused("date,a,a,total\n2020-09-01,8,8,16\n", "two columns named 'a'");
  refused("date,,total\n2020-09-01,8,8\n", "a column without a name");
  refused("date,a,total\n", "has no day");
  refused("date,a,total\n2020-09-01,0,0\n", "has no server with a GPU");
}

TEST_F(ReadCluster, TiresiasSwitchesAreRacks) {
  const std::string file = test::shared_path("traces/tiresias/n160g8.csv");
  MOSIM_NEEDS(file);
  const ImportedCluster cluster = import_cluster({.file = file});  // 5,32,8,128,256
  ASSERT_EQ(cluster.spec.groups.size(), 1U);
  const ServerGroup& group = cluster.spec.groups[0];
  EXPECT_EQ(group.count, 160U);
  EXPECT_EQ(group.servers_per_rack, 32U);
  EXPECT_EQ(group.gpus, 8U);
  EXPECT_EQ(group.cpus, 128U);
  EXPECT_EQ(group.memory, 256e9);
}

TEST_F(ReadCluster, TiresiasRefusesWhatIsNoSpecification) {
  const std::string header =
      "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n";
  refused(header + "0,32,8,128,256\n", ":2:1: num_switch is '0'");
  refused(header + "5,32,8.5,128,256\n", ":2:6: num_gpu_p_node is '8.5'");
  refused(header, "has no server with a GPU");
}

// tail -n +2 topo.csv | awk -F, '{n[$2","$3","$4]++} END{for(k in n){r++; h+=n[k]}; print r,h}'
// gives 119 847; in order of their numbers, 60 stretches of racks with like numbers of hosts.
TEST_F(ReadCluster, LingjunHasARackForEachLowestSwitch) {
  const std::string file = test::shared_path("traces/alibaba-lingjun-2023/topo.csv");
  MOSIM_NEEDS(file);
  const ImportedCluster cluster = import_cluster({.file = file});
  EXPECT_EQ(cluster.spec.servers(), 847U);
  EXPECT_EQ(cluster.spec.gpus(), 6776U);
  EXPECT_EQ(cluster.spec.groups.size(), 60U);
  std::uint64_t racks = 0;
  for (const ServerGroup& group : cluster.spec.groups) {
    ASSERT_GT(group.servers_per_rack, 0U);
    EXPECT_EQ(group.count % group.servers_per_rack, 0U);
    racks += group.count / group.servers_per_rack;
  }
  EXPECT_EQ(racks, 119U);
  EXPECT_EQ(cluster.spec.groups[0].count, 16U);  // G6,P8,S1 and S2 have 8 hosts each, S3 has 6
  EXPECT_EQ(cluster.spec.groups[1].count, 6U);
}

// tail -n +2 topo.csv | cut -d, -f2-4 | sort -u | cut -d, -f1,2 | uniq -c counts the racks of a
// pod: 48 G6,P10; 42 G6,P12; 29 G6,P8. Without the first sort -u and 4th field it counts their
// hosts.
TEST_F(ReadCluster, LingjunHasAPodForEachMiddleSwitch) {
  const std::string file = test::shared_path("traces/alibaba-lingjun-2023/topo.csv");
  MOSIM_NEEDS(file);
  const ImportedCluster cluster = import_cluster({.file = file});
  EXPECT_TRUE(any_note_has(cluster, "what their uplinks carry is for cluster.fabric to say"));
  EXPECT_EQ(cluster.spec.pod_names(), (std::vector<std::string>{"G6/P8", "G6/P10", "G6/P12"}));
  const std::vector<std::uint32_t> pods = cluster.spec.pods_by_rack();
  EXPECT_EQ(std::ranges::count(pods, 0), 29);
  EXPECT_EQ(std::ranges::count(pods, 1), 48);
  EXPECT_EQ(std::ranges::count(pods, 2), 42);
  std::vector<std::uint32_t> servers(3);
  for (const std::uint32_t rack : cluster.spec.racks_by_server()) ++servers[pods[rack]];
  EXPECT_EQ(servers, (std::vector<std::uint32_t>{179, 362, 306}));
}

TEST_F(ReadCluster, LingjunTakesItsUplinksFromTheScenario) {
  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("topo.csv", "ip,DSW,PSW,ASW\na,G1,P1,S1\nb,G1,P1,S2\nc,G1,P2,S1\n");
  const Scenario scenario =
      load_scenario("", {{"cluster.file", file, "--cluster"},
                         parse_override("cluster.nic=16 Gbps"),
                         parse_override("cluster.fabric.rack={uplinks: 1, oversubscription: 2}"),
                         parse_override("cluster.fabric.pod={uplinks: 1, oversubscription: 4}")});
  const ClusterSpec cluster = cluster_of(scenario);
  const Fabric fabric(cluster);
  // 3 NICs, 3 racks of one server, 2 pods. Pod G1/P1 has two racks of 8 Gbps, a quarter is 4 Gbps.
  ASSERT_EQ(fabric.links(), 3U + 6 + 4);
  EXPECT_EQ(fabric.name(9), "pod G1/P1 up 0/0");
  EXPECT_EQ(fabric.capacity(9), 4e9 / 8);
  EXPECT_EQ(fabric.capacity(11), 2e9 / 8);
  const std::string table = cluster_table(cluster);
  EXPECT_NE(table.find("racks of servers            3          1             1                 8   "
                       "              2"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("pods of racks               2        1-2             1               2-4   "
                       "              4"),
            std::string::npos)
      << table;
  EXPECT_NE(cluster_json(cluster, {}).find("\"racks_each\""), std::string::npos);
}

TEST_F(ReadCluster, LingjunOrderDoesNotDependOnTheRows) {
  const ImportedCluster one = read("ip,DSW,PSW,ASW\na,G1,P10,S1\nb,G1,P2,S1\nc,G1,P2,S1\n");
  const ImportedCluster two = read("ip,DSW,PSW,ASW\nc,G1,P2,S1\na,G1,P10,S1\nb,G1,P2,S1\n");
  ASSERT_EQ(one.spec.groups.size(), 2U);
  EXPECT_EQ(one.spec.groups[0].count, 2U);  // P2 comes before P10
  EXPECT_EQ(cluster_yaml(one.spec), cluster_yaml(two.spec));
}

TEST_F(ReadCluster, LingjunRefusesWhatIsNoHost) {
  refused("ip,DSW,PSW,ASW\na,G1,P1,S1\na,G1,P1,S2\n", ":3:1: is a host that was listed before");
  refused("ip,DSW,PSW,ASW\na,G1,,S1\n", ":2:6: PSW is empty");
}

// What is written reads back as the same cluster, and is written the same.
TEST_F(ReadCluster, EveryClusterIsTheSameAsAMosimFile) {
  const test::TemporaryFolder folder;
  std::size_t seen = 0;
  for (const char* name :
       {"helios/Earth_gpu_number.csv", "tiresias/n32g4.csv",
        "alibaba-openb-2023/openb_node_list_gpu_node.csv", "alibaba-lingjun-2023/topo.csv"}) {
    const std::string file = test::shared_path(std::string("traces/") + name);
    MOSIM_NEEDS(file);
    const Scenario imported = load_scenario("", {{"cluster.file", file, "--cluster"}});
    const std::string yaml = cluster_yaml(cluster_of(imported));
    const std::string copy = folder.write("copy.yaml", yaml);
    const Scenario again = load_scenario("", {{"cluster.file", copy, "--cluster"}});
    EXPECT_EQ(cluster_yaml(cluster_of(again)), yaml);
    EXPECT_EQ(again.servers.size(), imported.servers.size());
    EXPECT_EQ(cluster_of(again).gpus(), cluster_of(imported).gpus());
    EXPECT_EQ(again.servers.back().memory, imported.servers.back().memory);
    EXPECT_EQ(again.virtual_clusters.size(), imported.virtual_clusters.size());
    ++seen;
  }
  EXPECT_EQ(seen, 4U);
}

TEST_F(ReadCluster, NamesThatYamlWouldSplitComeBack) {
  ClusterSpec cluster{{ServerGroup{.gpu = "a, b", .virtual_cluster = "{x}"}},
                      {{.name = "{x}", .jobs = {"u, v", "w"}, .quota = 3, .queue = "fifo"}}};
  const test::TemporaryFolder folder;
  const std::string file = folder.write("c.yaml", cluster_yaml(cluster));
  const Scenario scenario = load_scenario("", {{"cluster.file", file, "--cluster"}});
  ASSERT_EQ(scenario.virtual_clusters.size(), 1U);
  EXPECT_EQ(scenario.servers[0].gpu, "a, b");
  EXPECT_EQ(scenario.servers[0].virtual_cluster, "{x}");
  EXPECT_EQ(scenario.virtual_clusters[0].jobs, (std::vector<std::string>{"u, v", "w"}));
  EXPECT_EQ(scenario.virtual_clusters[0].quota, 3U);
}

}  // namespace
}  // namespace mosim
