// `mosim cluster`, and cluster files of others in `mosim run`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace mosim::test {
namespace {

const std::string kHelios = "date,va,vb,vc,total\n2020-09-01,16,0,4,20\n2020-09-02,16,8,4,28\n";

TEST(ClusterCommand, ShowsAClusterAsJson) {
  const TemporaryFolder folder;
  const std::string file = folder.write("cluster_gpu_number.csv", kHelios);
  const CommandResult result =
      run_mosim("cluster " + file + " --format json --set cluster.date=2020-09-01");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["servers"], 3);
  EXPECT_EQ(json["gpus"], 20);
  EXPECT_EQ(json["racks"], 2);
  EXPECT_EQ(json["gpu_types"][0]["gpus_per_server"]["min"], 4);
  ASSERT_EQ(json["virtual_clusters"].size(), 2U);
  EXPECT_EQ(json["virtual_clusters"][1]["name"], "vc");
  EXPECT_EQ(json["virtual_clusters"][1]["gpus"], 4);
  EXPECT_NE(result.err.find("without GPUs on that day: vb"), std::string::npos) << result.err;
}

TEST(ClusterCommand, WritesAFileThatIsTheSameCluster) {
  const TemporaryFolder folder;
  const std::string file = folder.write("cluster_gpu_number.csv", kHelios);
  const std::string yaml = folder.path("c.yaml");
  const CommandResult first = run_mosim("cluster " + file + " -o " + yaml);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const CommandResult second = run_mosim("cluster " + yaml);
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(first.out.find("4 servers, 28 GPUs, racks: 3"), std::string::npos) << first.out;
  EXPECT_EQ(first.out, second.out);
}

TEST(ClusterCommand, KeepsAFileThatIsThereAndWritesToPipes) {
  const TemporaryFolder folder;
  const std::string show = "cluster " + folder.write("mine.yaml", "servers: [{count: 3}]\n");
  const std::string out = folder.write("out.yaml", "precious");
  const CommandResult refused = run_mosim(show + " -o " + out);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("is there already"), std::string::npos) << refused.err;
  EXPECT_EQ(read_text(out), "precious");
  EXPECT_EQ(run_mosim(show + " --force -o " + out).exit_code, 0);
  const std::string yaml = read_text(out);
  EXPECT_NE(yaml.find("count: 3"), std::string::npos) << yaml;
  EXPECT_EQ(run_mosim(show + " -o -").out, yaml);
  EXPECT_EQ(run_command("{mosim} " + show + " -o /dev/stderr 2>&1 >/dev/null | grep -v wrote").out,
            yaml);
}

TEST(ClusterCommand, ARunIsTheSameFromItsResolvedScenario) {
  const TemporaryFolder folder;
  const std::string file = folder.write("spec.csv",
                                        "num_switch,num_node_p_switch,num_gpu_p_node,"
                                        "num_cpu_p_node,mem_p_node\n2,4,8,128,256\n");
  const CommandResult first = run_mosim("run --json -q --cluster " + file +
                                        " --set cluster.gpu=V100M32 -o " + folder.path("a"));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const CommandResult second = run_mosim(
      "run --json -q " + folder.path("a/scenario.resolved.yaml") + " -o " + folder.path("b"));
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(first.out, second.out);  // the digest of the scenario too
  EXPECT_NE(first.out.find("\"gpus\": 64"), std::string::npos) << first.out;
}

TEST(ClusterCommand, UnknownGpusAreRefusedWhenAProfileIsNeeded) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("nodes.csv",
                   "sn,cpu_milli,memory_mib,gpu,model\na,96000,393216,8,G2\nb,96000,393216,8,G2\n"
                   "c,96000,393216,8,G2\nd,96000,393216,8,G2\n");
  const CommandResult refused = run_mosim("run -q --cluster " + file + " -o " + folder.path("a"));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("GPU 'G2' is not in the catalogue; expected a name of data/gpus/"),
            std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("cluster.gpu_types=G2=NAME"), std::string::npos) << refused.err;
  const CommandResult named =
      run_mosim("run -q --cluster " + file + " --set cluster.gpu_types=G2=A100-SXM4-80GB -o " +
                folder.path("b"));
  EXPECT_EQ(named.exit_code, 0) << named.err;
}

TEST(ClusterCommand, AFileOfNoFormatNamesTheFormats) {
  const TemporaryFolder folder;
  const CommandResult result = run_mosim("cluster " + folder.write("x.csv", "a,b\n1,2\n"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("is no cluster file of a known format"), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("helios, openb, tiresias, lingjun"), std::string::npos) << result.err;
  const CommandResult typo =
      run_mosim("cluster " + folder.path("x.csv") + " --cluster-format helois");
  EXPECT_EQ(typo.exit_code, 3);
  EXPECT_NE(typo.err.find("nearest: 'helios'"), std::string::npos) << typo.err;
}

TEST(ClusterCommand, ReadsStandardInput) {
  const TemporaryFolder folder;
  const std::string helios = folder.write("c.csv", kHelios);
  const CommandResult other =
      run_command("cat " + helios + " | {mosim} cluster - --cluster-format helios");
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_NE(other.out.find("28 GPUs"), std::string::npos) << other.out;
  const CommandResult own = run_command("echo 'servers: [{count: 3}]' | {mosim} cluster -");
  EXPECT_EQ(own.exit_code, 0) << own.err;
  EXPECT_NE(own.out.find("24 GPUs"), std::string::npos) << own.out;
}

}  // namespace
}  // namespace mosim::test
