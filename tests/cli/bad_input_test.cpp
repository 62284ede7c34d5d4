// Bad input ends with exit code 3 and `file:line:column: what is wrong; what was expected`, and
// leaves no file behind.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/command.hpp"

namespace mosim::test {
namespace {

const std::string kHeader = "job_id,model,arrival_time,duration,gpu_workers\n";

// Whether the message has `:line:column: ` in it.
bool tells_place(const std::string& message) {
  for (std::size_t at = message.find(':'); at != std::string::npos;
       at = message.find(':', at + 1)) {
    int line = 0;
    int column = 0;
    int length = 0;
    if (std::sscanf(message.c_str() + at, ":%d:%d: %n", &line, &column, &length) == 2 &&
        length > 0 && line > 0 && column > 0) {
      return true;
    }
  }
  return false;
}

class BadInput : public ::testing::Test {
 protected:
  // Expects the run to be refused with a message that holds every one of `parts`.
  void refused(const std::string& arguments, const std::vector<std::string>& parts) {
    const std::string out = folder_.path("out");
    const CommandResult result = run_mosim("run " + arguments + " -o " + out);
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(tells_place(result.err)) << result.err;
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << "\nnot in\n" << result.err;
    }
    EXPECT_FALSE(std::filesystem::exists(out));
  }

  void trace_refused(const std::string& content, const std::vector<std::string>& parts) {
    refused("--trace " + folder_.write("trace.csv", content), parts);
  }

  void scenario_refused(const std::string& content, const std::vector<std::string>& parts) {
    refused(folder_.write("scenario.yaml", content), parts);
  }

  // A trace that is right, to be read in spite of how it is written.
  void accepted(const std::string& content) {
    const CommandResult result =
        run_mosim("run --json -q --force --trace " + folder_.write("trace.csv", content) + " -o " +
                  folder_.path("out"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("\"finished\": 2"), std::string::npos) << result.out;
  }

  TemporaryFolder folder_;
};

TEST_F(BadInput, MissingFile) {
  refused("--trace " + folder_.path("none.csv"), {"none.csv:1:1: does not exist"});
  refused(folder_.path("none.yaml"), {"none.yaml:1:1: does not exist"});
  refused("--cluster " + folder_.path("none.yaml"), {"none.yaml:1:1: does not exist"});
}

TEST_F(BadInput, FolderGivenAsFile) {
  refused("--trace " + folder_.path(""), {"is a directory"});
  refused(folder_.path(""), {"is a directory"});
}

TEST_F(BadInput, EmptyFile) { trace_refused("", {"trace.csv:1:1: is empty"}); }

TEST_F(BadInput, HeaderOnly) { trace_refused(kHeader, {"has no jobs"}); }

TEST_F(BadInput, MissingColumn) {
  trace_refused("job_id,model,arival_time,duration,gpu_workers\n0,bert,0,1,1\n",
                {"has no column 'arrival_time'", "nearest: 'arival_time'"});
}

TEST_F(BadInput, DuplicateColumn) {
  trace_refused("job_id,model,arrival_time,duration,duration,gpu_workers\n0,bert,0,1,1,1\n",
                {"has two columns named 'duration'"});
}

TEST_F(BadInput, UnknownKeyNamesTheNearest) {
  scenario_refused("contention:\n  modell: none\n",
                   {"scenario.yaml:2:3: unknown key 'contention.modell'", "nearest: 'model'"});
  scenario_refused("schedular: {queue: fifo}\n", {":1:1:", "nearest: 'scheduler'"});
  scenario_refused("cluster:\n  servers:\n    - {gpuz: 8}\n", {":3:8:", "nearest: 'gpus'"});
  refused("--set contention.modl=none", {"--set:1:1: unknown key 'contention.modl'"});
}

TEST_F(BadInput, SeveralMistakesAreReportedTogether) {
  scenario_refused("contention: {model: nonne}\nloading: incl\n",
                   {"scenario.yaml:1:21:", "nearest: 'none'", "scenario.yaml:2:10:"});
}

TEST_F(BadInput, BadNumber) {
  trace_refused(kHeader + "0,bert,0,abc,1\n", {"trace.csv:2:10: duration is 'abc'"});
  trace_refused(kHeader + "0,bert,0,1,1\n1,bert,,1,1\n", {"trace.csv:3:8: arrival_time is ''"});
  trace_refused(kHeader + "0,bert,0,1,1.5\n", {"gpu_workers is '1.5'", "an integer"});
  trace_refused(kHeader + "0,bert,0,0x10,1\n", {"duration is '0x10'"});
}

TEST_F(BadInput, NanAndInfinity) {
  trace_refused(kHeader + "0,bert,0,NaN,1\n", {"duration is 'NaN'"});
  trace_refused(kHeader + "0,bert,inf,1,1\n", {"arrival_time is 'inf'"});
}

TEST_F(BadInput, NegativeDuration) {
  trace_refused(kHeader + "0,bert,0,-5,1\n", {":2:10: duration is '-5'"});
}

TEST_F(BadInput, ZeroGpus) {
  trace_refused(kHeader + "0,bert,0,5,0\n", {":2:12: gpu_workers is '0'"});
}

TEST_F(BadInput, MoreGpusThanTheCluster) {
  trace_refused(kHeader + "big,bert,0,5,33\n",
                {":2:1: job 'big' asks for 33 workers with 1 GPUs each",
                 "largest placement of such workers on this cluster of 32 GPUs on 4 servers is 32",
                 "--skip-unplaceable"});
}

TEST_F(BadInput, SkipUnplaceableDropsAndCounts) {
  const std::string trace =
      folder_.write("trace.csv", kHeader + "a,bert,0,5,1\nbig,bert,0,5,33\nb,bert,0,5,1\n");
  const CommandResult result =
      run_mosim("run --json --skip-unplaceable --trace " + trace + " -o " + folder_.path("out"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("\"dropped_unplaceable\": 1"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\"finished\": 2"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("dropped: job 'big'"), std::string::npos) << result.err;
}

TEST_F(BadInput, WorkersWithMoreGpusThanAServer) {
  trace_refused("job_id,model,arrival_time,duration,gpu_workers,gpu_per_worker\n0,bert,0,5,2,9\n",
                {"2 workers with 9 GPUs each", "is 0"});
}

TEST_F(BadInput, IterationsGivenAndZero) {
  trace_refused("job_id,model,arrival_time,duration,num_iteration,gpu_workers\n0,bert,0,5,0,1\n",
                {":2:12: num_iteration is '0'"});
}

TEST_F(BadInput, AbsurdSizes) {
  trace_refused(kHeader + "0,bert,0,5,1000000000000\n", {"gpu_workers is '1000000000000'"});
  trace_refused(kHeader + "0,bert,0,1e300,1\n", {"duration is '1e300'"});
  trace_refused(kHeader + "0,bert,1e300,1,1\n", {"arrival_time is '1e300'"});
  trace_refused(
      "job_id,model,arrival_time,duration,gpu_workers,gpu_per_worker\n"
      "0,bert,0,5,1000000,1000000\n",
      {"1000000 workers with 1000000 GPUs each"});
  refused("--set 'cluster.servers[0].gpus=1000000000000'", {"gpus is '1000000000000'"});
  refused("--set 'cluster.servers[0].count=1000000000000'", {"count is '1000000000000'"});
  refused("--set trace.limit=-1", {"trace.limit is '-1'"});
}

TEST_F(BadInput, UnitMissingOrWrong) {
  scenario_refused("contention: {min_bandwidth: 10}\n",
                   {":1:29:", "'10' has no unit", "Gbps, Mbps, GB/s"});
  scenario_refused("contention: {min_bandwidth: 10 MB}\n", {"'MB' is not a unit that fits"});
  scenario_refused("cluster: {servers: [{nic: fast}]}\n", {"'fast' is not a number"});
  refused("--set 'cluster.servers[0].nic=-5 Gbps'", {"is negative"});
}

TEST_F(BadInput, DuplicateJobIds) {
  trace_refused(kHeader + "7,bert,0,5,1\n7,bert,1,5,1\n",
                {":3:1: job id '7' was used on line 2 already"});
}

TEST_F(BadInput, ModelWithoutAProfileForItsGpus) {
  const std::string table = folder_.write(
      "table.csv", "model,gpus,compute_s,network_s,volume_MB\nbert,2,1,1,438\nbert,4,1,1,657\n");
  const std::string trace = folder_.write("trace.csv", kHeader + "0,bert,0,5,3\n1,bret,0,5,2\n");
  refused("--set profile.backend=table --set profile.table=" + table + " --trace " + trace,
          {"trace.csv:2:1: no profile for model 'bert' on 3 GPUs; expected 2, 4 GPUs",
           "trace.csv:3:1: no profile for model 'bret' on 2 GPUs", "nearest: 'bert'"});
}

TEST_F(BadInput, UnknownModelForTheBuiltinBackend) {
  trace_refused(kHeader + "0,bart,0,5,1\n", {"no profile for model 'bart'", "nearest: 'bert'"});
}

TEST_F(BadInput, UnknownGpu) {
  refused("--set 'cluster.servers[0].gpu=V1000'", {"GPU 'V1000' is not in the catalogue"});
}

TEST_F(BadInput, KeysOfServers) {
  scenario_refused("cluster: {servers: [{nics: 0}]}\n", {":1:28: nics is '0'"});
  scenario_refused("cluster: {servers: [{memory: 5}]}\n", {":1:30:", "'5' has no unit"});
  scenario_refused("cluster: {servers: [{servers_per_rack: -1}]}\n",
                   {":1:40: servers_per_rack is '-1'"});
  scenario_refused("cluster: {servers: [{count: 1}, {virtual_cluster: a}]}\n",
                   {":1:51: virtual_cluster is 'a'", "there are no cluster.virtual_clusters"});
}

TEST_F(BadInput, KeysOfTheFabric) {
  const auto refused_fabric = [&](const std::string& keys, const std::vector<std::string>& parts) {
    scenario_refused("cluster: {fabric: {" + keys + "}}\n", parts);
  };
  refused_fabric("rack: {uplink: 1}", {":1:27: unknown key 'cluster.fabric.rack.uplink'",
                                       "one of uplinks, oversubscription (nearest: 'uplinks')"});
  refused_fabric("racks: {uplinks: 1}", {":1:20: unknown key 'cluster.fabric.racks'",
                                         "one of rack, pod, ecmp_seed (nearest: 'rack')"});
  refused_fabric("rack: {uplinks: 1.5}",
                 {":1:36: cluster.fabric.rack.uplinks is '1.5'", "an integer from 0 to 1024"});
  refused_fabric(
      "rack: {oversubscription: 0}",
      {":1:45: cluster.fabric.rack.oversubscription is '0'", "a number from 0.01 to 10000"});
  refused_fabric("pod: {oversubscription: '4:1'}",
                 {":1:44: cluster.fabric.pod.oversubscription is '4:1'"});
  refused_fabric("rack: 4", {":1:26: is a value", "keys: uplinks, oversubscription"});
  refused_fabric("pod: {uplinks: 2}",
                 {":1:19: cluster.fabric.pod.uplinks is 2, and there are no pods",
                  "cluster.fabric.pod.racks above 0, or a pod for each of cluster.servers[]"});
  scenario_refused("cluster: {servers: [{pod: a}, {count: 2}]}\n",
                   {":1:31: a group of servers has no key 'pod', and others have"});
  scenario_refused("cluster: {fabric: {pod: {racks: 2}}, servers: [{pod: a}]}\n",
                   {":1:19: cluster.fabric.pod.racks is 2, and groups of servers have pods too"});
  scenario_refused(
      "cluster: {servers: [{count: 1000000, servers_per_rack: 1}], fabric: {rack: {uplinks: 5}}}\n",
      {":1:69: the fabric has 11000000 links", "at most 10000000"});
}

TEST_F(BadInput, KeysOfVirtualClusters) {
  const auto refused_list = [&](const std::string& list, const std::vector<std::string>& parts) {
    scenario_refused("cluster: {virtual_clusters: " + list + "}\n", parts);
  };
  refused_list("{name: a}", {":1:29: cluster.virtual_clusters is a map", "a list"});
  refused_list("[{quota: 3}]", {":1:30: a virtual cluster has the name ''"});
  refused_list("[{name: drop}]", {":1:37: a virtual cluster has the name 'drop'"});
  refused_list("[{name: a}, {name: a}]", {":1:48: virtual cluster 'a' is there already"});
  refused_list("[{name: a}, {name: b, jobs: [c, a]}]", {":1:57: jobs of 'a' have a virtual"});
  refused_list("[{name: a, quota: -1}]", {":1:47: quota is '-1'"});
  refused_list("[{name: a, queue: fofo}]", {":1:47: queue is 'fofo'", "nearest: 'fifo'"});
  refused_list("[{name: a, jobs: {b: c}}]", {"jobs has a value", "a list of names"});
  refused_list("[{name: a, qouta: 1}]", {":1:40: unknown key 'qouta'", "nearest: 'quota'"});
  refused_list("[{name: abc}], unmapped: abd", {"cluster.unmapped is 'abd'", "nearest: 'abc'"});
}

TEST_F(BadInput, KeysOfClusterFiles) {
  const auto refused_file = [&](const std::string& text, const std::vector<std::string>& parts) {
    refused("--cluster " + folder_.write("c.yaml", text), parts);
  };
  refused_file("servers: [{count: 2}]\nvirtual_cluster: [{name: a}]\n",
               {"c.yaml:2:1: unknown key 'virtual_cluster'", "nearest: 'virtual_clusters'"});
  refused_file("cluster:\n  servers: [{count: 2}]\n  unmapped: a\n",
               {"c.yaml:3:3: unknown key 'unmapped'; expected one of servers, virtual_clusters"});
  refused_file("cluster: {servers: [{count: 2}]}\nclusters: {}\n",
               {"c.yaml:2:1: unknown key 'clusters'", "nearest: 'cluster'"});
  refused_file("servers: [{count: 2}]\nfabric: {rack: {uplinks: two}}\n",
               {"c.yaml:2:26: cluster.fabric.rack.uplinks is 'two'"});
  refused_file("servers: [{count: 2}]\nfabric: {pod: {uplinks: 2}}\n",
               {"c.yaml:2:9: cluster.fabric.pod.uplinks is 2, and there are no pods"});
  refused_file("server: [{count: 2}]\n", {"c.yaml:1:1: unknown key 'server'", "has no key"});
}

TEST_F(BadInput, SomethingElseWhereAListIsNeeded) {
  refused("--set availability.events=foo", {"availability.events is a value", "a list of maps"});
  refused("--set cluster.virtual_clusters=foo", {"cluster.virtual_clusters is a value"});
  scenario_refused("cluster: {virtual_clusters: {}}\n", {":1:29:", "is a map"});
  scenario_refused("cluster: {servers: []}\n",
                   {":1:20: cluster.servers is an empty list", "at least a group of servers"});
}

TEST_F(BadInput, KeysOfAvailability) {
  const auto refused_event = [&](const std::string& event, const std::vector<std::string>& parts) {
    scenario_refused("availability: {events: [{" + event + "}]}\n", parts);
  };
  refused_event("time: 2h, server: 4, what: fail",
                {":1:44: server is '4'", "a number from 0 to 3"});
  refused_event("time: 2h, server: 0-1, what: fail", {":1:44: server is '0-1'"});
  refused_event("time: 2h, servers: 3-1, what: fail", {":1:45: servers is '3-1'", "first-last"});
  refused_event("time: 2h, what: fail", {":1:25:", "'server' and 'servers'"});
  refused_event("time: 2h, server: 1", {"has no key 'what'"});
  refused_event("time: 2h, server: 1, what: fial", {":1:53: what is 'fial'", "nearest: 'fail'"});
  refused_event("time: 2, server: 1, what: fail", {":1:32:", "has no unit"});
  scenario_refused("availability: {mtbf: 1 s}\n", {":1:22: availability.mtbf is 1 s", "1 min"});
  scenario_refused("availability: {mtfb: 1 h}\n", {"unknown key 'availability.mtfb'"});
  scenario_refused("availability: {max_restarts: 0.5}\n", {"max_restarts is '0.5'"});
}

TEST_F(BadInput, JobsThatBelongNowhere) {
  const std::string trace = folder_.write("trace.csv", kHeader + "7,bert,0,5,1\n");
  refused("--set 'cluster.virtual_clusters=[{name: a}]' --trace " + trace,
          {"trace.csv:2:1: job '7' names no virtual cluster", "cluster.unmapped"});
  refused(
      "--set 'cluster.virtual_clusters=[{name: a, quota: 1}]' --set cluster.unmapped=a --trace " +
          folder_.write("trace.csv", kHeader + "7,bert,0,5,2\n"),
      {"trace.csv:2:1: job '7' asks for 2 workers", "the quota of virtual cluster a is 1 GPUs"});
}

TEST_F(BadInput, ProfilesOfGpuTypes) {
  const std::string table = folder_.write(
      "table.csv", "model,gpus,gpu,compute_s,network_s,volume_MB\nbert,2,V100,1,1,438\n");
  const std::string trace = folder_.write("trace.csv", kHeader + "0,bert,0,5,2\n");
  refused("--set profile.backend=table --set profile.table=" + table + " --trace " + trace +
              " --set 'cluster.servers=[{gpu: V100}, {gpu: MISC}]'",
          {"trace.csv:2:1: no profile for model 'bert' on 2 GPUs of type MISC"});
  refused("--set profile.reference_gpu=V1000", {"GPU 'V1000' is not in the catalogue"});
  refused("--set trace.gpu_type=requires", {"trace.gpu_type is 'requires'", "nearest: 'require'"});
}

TEST_F(BadInput, TruncatedGzip) {
  const std::string whole = folder_.path("trace.csv");
  folder_.write("trace.csv", kHeader + std::string(100000, '\n') + "0,bert,0,5,1\n");
  ASSERT_EQ(run_command("gzip -kf " + whole + " && head -c 60 " + whole + ".gz > " +
                        folder_.path("cut.csv.gz"))
                .exit_code,
            0);
  refused("--trace " + folder_.path("cut.csv.gz"), {"is truncated or damaged"});
}

TEST_F(BadInput, RowsThatDoNotMatchTheHeader) {
  trace_refused(kHeader + "0,bert,0,5\n", {":2:1: has 4 fields; expected 5"});
  trace_refused(kHeader + "0,bert,0,5,1,9\n", {":2:1: has 6 fields; expected 5"});
  trace_refused(kHeader + "\"0,bert,0,5,1\n", {"has a quote that is not closed"});
}

TEST_F(BadInput, NotYaml) {
  scenario_refused("a: [1, 2\n", {"is not YAML"});
  scenario_refused("contention: {model: none, model: fixed}\n", {"key 'model' appears twice"});
  scenario_refused("- 1\n- 2\n", {"is a list"});
}

TEST_F(BadInput, UnwritableOutput) {
  const CommandResult result = run_mosim("run -o /proc/mosim-cannot-write");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.err.find("/proc/mosim-cannot-write: cannot be made"), std::string::npos)
      << result.err;
}

TEST_F(BadInput, OutputThatHoldsARunIsRefusedWithoutForce) {
  const std::string out = folder_.path("run");
  ASSERT_EQ(run_mosim("run -q -o " + out).exit_code, 0);
  const std::string before = read_text(out + "/jobs.csv");
  const CommandResult again = run_mosim("run -q --queue fifo-skip -o " + out);
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_NE(again.err.find("holds a run already"), std::string::npos) << again.err;
  EXPECT_EQ(read_text(out + "/jobs.csv"), before);
  EXPECT_EQ(run_mosim("run -q --queue fifo-skip --force -o " + out).exit_code, 0);
  EXPECT_NE(read_text(out + "/jobs.csv"), before);
}

TEST_F(BadInput, StandardOutputThatCannotBeWritten) {
  const std::string trace = folder_.write("t.csv", kHeader + "0,bert,0,5,2\n");
  for (const std::string& command :
       {std::string("--help"), std::string("--version"), std::string("policies"),
        std::string("schema"), std::string("characterize --models bert"), "trace stats " + trace,
        "trace convert " + trace + " -o -", "run --json -o " + folder_.path("run")}) {
    const CommandResult result = run_command("{mosim} " + command + " > /dev/full");
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_NE(result.err.find("cannot be written"), std::string::npos) << command << result.err;
  }
}

TEST_F(BadInput, AFileAtTheLimitOfItsSize) {
  const std::string out = folder_.path("t.csv");
  const CommandResult result =
      run_command("(ulimit -f 1; {mosim} trace generate --jobs 1000 -o " + out + ")");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.err.find("t.csv: cannot be written"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(BadInput, UsageIsExitCodeTwo) {
  EXPECT_EQ(run_mosim("").exit_code, 2);
  EXPECT_EQ(run_mosim("runn").exit_code, 2);
  EXPECT_EQ(run_mosim("run --frobnicate").exit_code, 2);
  EXPECT_EQ(run_mosim("reproduce").exit_code, 2);
  EXPECT_EQ(run_mosim("--help").exit_code, 0);
}

TEST_F(BadInput, UnusualButRightTraces) {
  const std::string rows = "0,bert,0,5,1\n1,bert,2,5,1\n";
  accepted("\xEF\xBB\xBF" + kHeader + rows);
  accepted("job_id,model,arrival_time,duration,gpu_workers\r\n0,bert,0,5,1\r\n1,bert,2,5,1\r\n");
}

TEST_F(BadInput, QuotesBlankLinesAndColumnsInAnyOrder) {
  accepted(
      "duration,note,\"gpu_workers\",model,job_id,arrival_time\n"
      "5,\"a, \"\"b\"\"\",1,bert,\"x,1\",2\n\n5,,1,bert,y,0\n\n\n");
  // Unsorted arrivals are put in order.
  const std::string jobs = read_text(folder_.path("out/jobs.csv"));
  EXPECT_LT(jobs.find("\ny,bert"), jobs.find("\n\"x,1\",bert")) << jobs;
}

}  // namespace
}  // namespace mosim::test
