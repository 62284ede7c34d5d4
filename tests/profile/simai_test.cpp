#include "profile/simai.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/command.hpp"

namespace mosim {
namespace {

// tp 2, ep 2, pp 2 on 16 GPUs: dp = 16 / 4 = 4 and dp_ep = 4 / 2 = 2.
const std::string kWorkload =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 1 ga: 2 "
    "all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 1000.0\n"
    "4\n"
    "grad_gather\t-1\t1000\tNONE\t0\t2000\tNONE\t0\t3000\tALLGATHER\t4000\t100\n"
    "moe_grad\t-1\t0\tNONE\t0\t0\tNONE\t0\t0\tREDUCESCATTER_DP_EP\t2000\t100\n"
    "attention -1  500400 ALLREDUCE 600  1000600 ALLTOALL_EP 800  499 NONE 0  100\n"
    "norm\t-1\t0\tBROADCAST\t5000\t0\tNONE\t0\t0\tNONE\t0\t100\n";

// total comp = (6000 + 1501499) ns; exposed = 300 + 100 + 60 + 40; total within rounding of 2100.
const std::string kResults =
    "File name, Expose DP comm, Expose DP_EP comm, Expose TP comm, Expose_EP_comm, "
    "Expose_PP_comm, bubble time, total comp, total exposed comm, Total time\n"
    "run-, 300 (14.29%), 100 (4.76%), 60 (2.86%), 40 (1.90%), 70 (3.33%), 23 (1.10%), "
    "1507 (71.76%), 500 (23.81%), 2101\n"
    "layer_name,Analytical_test,fwd compute,wg compute,ig compute,fwd exposed comm,"
    "wg exposed comm,ig exposed comm,fwd total comm,algbw,busbw,wg total comm,algbw,busbw,"
    "ig total comm,algbw,busbw\n"
    "grad_gather,Analytical_test,1,3,2,0,300,0,0,-nan,0.00,300,0.01,0.01,0,-nan,0.00\n"
    "moe_grad,Analytical_test,0,0,0,0,100,0,0,-nan,0.00,100,0.02,0.01,0,-nan,0.00\n"
    "attention,Analytical_test,500,0,1001,60,0,40,60,0.01,0.01,0,nan,0.00,40,0.02,0.01\n"
    "norm,Analytical_test,0,0,0,0,0,0,0,-nan,0.00,0,-nan,0.00,0,-nan,0.00\n";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

JobProfile read(const std::string& results, const std::string& workload) {
  const test::TemporaryFolder folder;
  return read_simai(folder.write("r.csv", results), folder.write("w.txt", workload));
}

// What is said of a pair of files, without the folder; empty when nothing is wrong.
std::string mistake(const std::string& results, const std::string& workload) {
  try {
    (void)read(results, workload);
  } catch (const InputError& error) {
    const std::string text = error.diagnostics().front().text();
    const std::size_t name = std::min(text.find("r.csv"), text.find("w.txt"));
    return text.substr(std::min(name, text.size()));
  }
  return "";
}

struct Mistake {
  std::string from, to, said;
};

TEST(Simai, TimesAndVolumeByHand) {
  const JobProfile profile = read(kResults, kWorkload);
  EXPECT_DOUBLE_EQ(profile.compute_s, (1507 + 23) * 1e-6);  // with the pipeline's bubble
  EXPECT_DOUBLE_EQ(profile.network_s, (500 + 70) * 1e-6);
  // 3/4 x 4000 over dp, 1/2 x 2000 over dp_ep, 2 x 1/2 x 600 over tp, 1/2 x 800 over ep; the
  // pipeline sends 2 x vpp x ga x 1000. A broadcast has no time in SimAI, so no volume.
  EXPECT_DOUBLE_EQ(profile.volume, 3000 + 1000 + 600 + 400 + 4000);
  EXPECT_EQ(profile.loading_s, 0);
}

TEST(Simai, EveryCollectiveInEveryGroup) {
  // tp 2, dp 24 / 2 = 12, ep 3, dp_ep 4; size 1200.
  const auto volume = [](std::string_view forward, std::string_view gradient,
                         std::string_view weight) {
    const auto comm = [](std::string_view type) { return " 0 " + std::string(type) + " 1200"; };
    const std::string workload =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 3 pp: 1 vpp: 8 ga: 9 "
        "all_gpus: 24 checkpoints: 0 checkpoint_initiates: 0\n1\nx -1" +
        comm(forward) + comm(gradient) + comm(weight) + " 100\n";
    const std::size_t layers = kResults.find("layer_name");
    const std::string results =
        kResults.substr(0, kResults.find("run-")) +
        "r, 1 (100.00%), 0 (0.00%), 0 (0.00%), 0 (0.00%), 0 (0.00%), 0 (0.00%), 0 (0.00%), "
        "1 (100.00%), 1\n" +
        kResults.substr(layers, kResults.find("grad_gather") - layers) +
        "x,Analytical_test,0,0,0,0,1,0,0,-nan,0.00,1,inf,inf,0,-nan,0.00\n";
    return read(results, workload).volume;
  };
  EXPECT_DOUBLE_EQ(volume("ALLREDUCE", "NONE", "NONE"), 2 * 600);
  EXPECT_DOUBLE_EQ(volume("NONE", "ALLGATHER", "NONE"), 600);
  EXPECT_DOUBLE_EQ(volume("NONE", "NONE", "REDUCESCATTER"), 1100);
  EXPECT_DOUBLE_EQ(volume("NONE", "NONE", "ALLREDUCE"), 2 * 1100);
  EXPECT_DOUBLE_EQ(volume("ALLTOALL", "NONE", "NONE"), 600);
  EXPECT_DOUBLE_EQ(volume("ALLTOALL_EP", "ALLGATHER_EP", "NONE"), 800 + 800);
  EXPECT_DOUBLE_EQ(volume("NONE", "NONE", "ALLREDUCE_DP_EP"), 2 * 900);
  EXPECT_DOUBLE_EQ(volume("NONE", "NONE", "NONE"), 0);
}

TEST(Simai, OlderHeadersAndLineEndsAreRead) {
  const std::string workload = replaced(kWorkload, "pp_comm: 1000.0", "pp_comm 1000");
  EXPECT_DOUBLE_EQ(read(kResults, workload).volume, 9000);
  std::string dos;
  for (const char c : kResults) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_DOUBLE_EQ(read(dos + "\r\n", kWorkload).network_s, 570e-6);
}

TEST(Simai, MistakesInTheWorkload) {
  for (const Mistake& each : std::vector<Mistake>{
           {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", "MICRO", "w.txt:1:1: begins with 'MICRO'"},
           {"ga: 2 ", "", "w.txt:1:1: has no 'ga:' with a value"},
           {"ep: 2", "ep: two", "w.txt:1:65: ep is 'two'"},
           {"all_gpus: 16", "all_gpus: 0", "w.txt:1:96: all_gpus is '0'"},
           {"all_gpus: 16", "all_gpus: 18", "w.txt:1:1: all_gpus is 18; expected a multiple of 4"},
           {"checkpoints: 0", "checkpoints: 1 2", "w.txt:1:112: checkpoints is '1'; expected 0"},
           {" pp_comm: 1000.0", "", "w.txt:1:1: has no 'pp_comm:'"},
           {"pp: 2", "pp: 1", "w.txt:1:147: pp_comm is '1000.0'; expected 0"},
           {"\n4\n", "\n0\n", "w.txt:2:1: the number of layers is '0'"},
           {"\n4\n", "\n5\n", "w.txt:7:1: ends after 4 layers; expected 5"},
           {"\n4\n", "\n3\n", "w.txt:6:1: is a line after the last layer"},
           {"\n4\n", "\n", "w.txt:2:1: has 12 fields; expected the number of layers alone"},
           {"4000\t100\n", "4000\n", "w.txt:3:1: has 11 fields"},
           {"\t1000\t", "\t-1000\t", "w.txt:3:16: the forward time is '-1000'"},
           {"\t4000\t", "\tnan\t", "w.txt:3:55: the collective's size is 'nan'"},
           {"ALLREDUCE 600", "ALLREDUCE_TP 600", "w.txt:5:22: the collective is 'ALLREDUCE_TP'"},
           {"ep: 2", "ep: 3", "w.txt:4:33: 'REDUCESCATTER_DP_EP' needs dp / ep ranks"}}) {
    const std::string said = mistake(kResults, replaced(kWorkload, each.from, each.to));
    EXPECT_TRUE(said.starts_with(each.said)) << said << "\n  instead of " << each.said;
  }
  EXPECT_EQ(mistake(kResults, "").substr(0, 19), "w.txt:1:1: is empty");
}

TEST(Simai, MistakesInTheResults) {
  for (const Mistake& each : std::vector<Mistake>{
           {"File name", "status", "r.csv:1:1: begins with 'status'"},
           {", Total time", "", "r.csv:1:1: has no column 'Total time'"},
           {"Expose TP comm", "Expose XP comm", "r.csv:1:1: has no column 'Expose TP comm'"},
           {", 2101\n", "\n", "r.csv:2:1: has 9 fields; expected 10"},
           {"23 (1.10%)", "-23 (1.10%)", "r.csv:2:70: bubble time is '-23'"},
           {"23 (1.10%)", "NaN or Inf (-nan%)", "r.csv:2:70: bubble time is 'NaN or Inf'"},
           {"23 (1.10%)", "1649734596289666816 (1.10%)", "r.csv:2:70: bubble time is '16497"},
           {", 2101\n", ", 2110\n", "r.csv:2:1: Total time is 2110; expected 2100, the sum of"},
           {"500 (23.81%)", "600 (23.81%)", "r.csv:2:1: total exposed comm is 600; expected 500"},
           {"1507 (", "1509 (", "r.csv:2:1: total comp is 1509; expected 1507.499"},
           {"layer_name", "SUM", "r.csv:3:1: begins with 'SUM'"},
           {"ig compute", "ig", "r.csv:3:1: has no column 'ig compute'"},
           {"algbw,busbw\n", "algbw,busbw,workload finished at\n",
            "r.csv:3:1: is the table of SimAI-Simulation"},
           {"moe_grad,", "moe_grab,", "r.csv:5:1: the layer is 'moe_grab'; expected 'moe_grad'"},
           {",500,", ",502,", "r.csv:6:27: fwd compute is 502; expected 500.4"},
           {",1001,", ",nan,", "r.csv:6:33: ig compute is 'nan'"},
           {",40,60,", ",40,-60,", "r.csv:6:46: fwd total comm is '-60'"},
           {",0.00,300,", ",0.00,", "r.csv:4:1: has 16 fields; expected 17"}}) {
    const std::string said = mistake(replaced(kResults, each.from, each.to), kWorkload);
    EXPECT_TRUE(said.starts_with(each.said)) << said << "\n  instead of " << each.said;
  }
  EXPECT_EQ(mistake(kResults + "x\n", kWorkload).substr(0, 42),
            "r.csv:8:1: is a line after the last layer;");
}

// Cut anywhere, either file is refused, unless only its last field or line end lost something.
TEST(Simai, CutFilesAreRefused) {
  const auto last = [](const std::string& text, char before) {
    return text.rfind(before, text.size() - 2) + 1;
  };
  for (std::size_t size = 0; size < last(kResults, ','); ++size) {
    EXPECT_NE(mistake(kResults.substr(0, size), kWorkload), "") << size;
  }
  for (std::size_t size = 0; size < last(kWorkload, '\t'); ++size) {
    EXPECT_NE(mistake(kResults, kWorkload.substr(0, size)), "") << size;
  }
}

TEST(SimaiTable, IndexNamesFilesFromItsFolder) {
  const test::TemporaryFolder folder;
  const ModelPool pool = read_pool("default");
  (void)folder.write("r.csv", kResults);
  (void)folder.write("w.txt", kWorkload);
  const auto index = [&](const std::string& rows) {
    return folder.write("index.csv", "model,gpus,results,workload\n" + rows);
  };
  const ProfileTable table = read_simai_table(
      index("workload_02,16,r.csv,w.txt\ngpt,16,./r.csv," + folder.path("w.txt") + "\n"), pool);
  ASSERT_EQ(table.profiles().size(), 2U);
  ASSERT_TRUE(table.find("bert", 16).has_value());  // the alias of the pool
  EXPECT_DOUBLE_EQ(table.find("gpt", 16)->volume, 9000);
  EXPECT_FALSE(table.find("gpt", 8).has_value());
  const auto said = [&](const std::string& rows) -> std::string {
    try {
      (void)read_simai_table(index(rows), pool);
    } catch (const InputError& error) {
      return error.diagnostics().front().text();
    }
    return "";
  };
  EXPECT_NE(said("gpt,8,r.csv,w.txt\n").find("index.csv:2:5: gpus is 8; expected 16, the all_gpus"),
            std::string::npos);
  EXPECT_NE(said("gpt,16,r.csv,w.txt\ngpt,16,r.csv,w.txt\n").find("index.csv:3:1: 'gpt' on 16"),
            std::string::npos);
  EXPECT_NE(said("gpt,16,none.csv,w.txt\n").find("none.csv:1:1: does not exist"),
            std::string::npos);
}

}  // namespace
}  // namespace mosim
