// Every recorded fault of ASTRA-sim is refused, by a check of its inputs or of its output, with a
// message that names the cause.
#include <gtest/gtest.h>

#include <set>

#include "profile/astra_sim/output.hpp"
#include "support/astra_sim_cases.hpp"

namespace mosim::astra_sim {
namespace {

using test::run_error;

// The job of the recorded faults: 100 us of compute, then an all-reduce of 1 MiB on 4 GPUs.
Inputs faultless() {
  Inputs inputs;
  inputs.nodes = {{0, "c", {}, 100, {}, 0}, {1, "ar", {0}, 0, Collective::all_reduce, 1048576}};
  inputs.ranks = 4;
  inputs.dimensions = {{4, 25, 500}};
  inputs.implementation = {"ring"};
  inputs.dataset_splits = 4;
  inputs.endpoint_delay_ns = 10;
  inputs.local_mem_gb = 3350;
  return inputs;
}

// How a recorded fault is refused: `output` is a part of the message on what the tool printed
// (empty when that cannot be told from a good run's), `input` of the message on inputs broken by
// `fault`.
struct Case {
  std::string name;
  std::string output;
  void (*fault)(Inputs&) = nullptr;
  std::string input = "";
};

void two_dimensions(Inputs& inputs) { inputs.dimensions = {{2, 400, 500}, {2, 25, 2000}}; }

void cycle(Inputs& inputs) { inputs.nodes[0].after = {1}; }

std::vector<Case> cases_of_inputs() {
  return {
      {"noworkload", "exit code 1; it said: workload file: INPUTS/nope/w.0.et does not exist"},
      {"fewet", "w.4.et does not exist", [](Inputs& in) { in.dimensions[0].npus = 8; },
       "4 ranks, but the network has 8 GPUs"},
      {"moreet", "", [](Inputs& in) { in.dimensions[0].npus = 2; },
       "4 ranks, but the network has 2 GPUs"},
      {"npu1", "npus_count (1) should be larger than 1",
       [](Inputs& in) { in.dimensions[0].npus = 1; }, "has 1 GPUs; expected 2 or more"},
      {"netbw0", "bandwidth (0) should be larger than 0",
       [](Inputs& in) { in.dimensions[0].bandwidth_gib = 0; }, "a bandwidth of 0 GiB/s"},
      {"aware2d", "only support 1-dim topology",
       [](Inputs& in) {
         two_dimensions(in);
         in.congestion_aware = true;
       },
       "2 network dimensions; the congestion-aware binary takes one"},
      {"un2d_1impl", "is below the least possible", two_dimensions,
       "2 network dimensions but 1 collective implementations"},
      {"un1d_2impl", "(SIGABRT)", [](Inputs& in) { in.implementation = {"ring", "ring"}; },
       "1 network dimensions but 2 collective implementations"},
      {"sysbadar", "Cannot interpret collective implementations",
       [](Inputs& in) { in.implementation = {"rung"}; }, "implementation 'rung', not ring"},
      {"sysnoar", "No collective implementation found",
       [](Inputs& in) { in.implementation.clear(); }, "but 0 collective implementations"},
      {"nocommsize", "Attribute comm_size not found in node 1",
       [](Inputs& in) { in.nodes[1].comm_size = 0; }, "node 1 ('ar') is a collective of 0 bytes"},
      {"badedep", "Node 99 in data_dep graph, but not found",
       [](Inputs& in) { in.nodes[1].after = {99}; }, "waits for node 99, which is not there"},
      {"cycle", "No dependancy free nodes found", cycle, "would never run: a dependency cycle"},
      {"partcycle", "rank 0 lack 'Comm time'",
       [](Inputs& in) {
         in.nodes.push_back({2, "d", {1}, 100, {}, 0});
         in.nodes[1].after = {0, 2};
       },
       "node 1 ('ar') would never run: a dependency cycle"},
      {"tiny", "", [](Inputs& in) { in.nodes[1].comm_size = 1; }, "1 bytes, not a multiple of 16"},
      {"odd", "", [](Inputs& in) { in.nodes[1].comm_size = 1000001; },
       "1000001 bytes, not a multiple of 16"},
      {"zerodur", "compute time of rank 0, 1 ns, is not the given",
       [](Inputs& in) { in.nodes[0].duration_us = 0; }, "has a duration of 0"},
  };
}

// Faults that our inputs cannot have: the files are fixed, or written from one list of nodes.
std::vector<Case> cases_of_outputs() {
  return {
      {"nosys", "exit code 1; it said: Unable to open file: INPUTS/nosys.json"},
      {"nonet", "exit code 255; it said: [Error] (network/analytical) bad file"},
      {"nomem", "exit code 1; it said: Unable to open file: INPUTS/nomem.json"},
      {"badjson", "exit code 134 (SIGABRT); it said: terminate called after throwing"},
      {"systype", "type must be number, but is string"},
      {"sysbadpol", "unknown value for scheduling policy"},
      {"netmis", "length of npus_count (1) doesn't match with dimensions (2)"},
      {"nettor", "Topology name Torus not supported"},
      {"netbad", "exit code 134 (SIGABRT); it said: terminate called without an active exception"},
      {"netnokey", "length of npus_count (0) doesn't match"},
      {"netstr", "bad conversion"},
      {"membad", "Unsupported memory type: HBM"},
      {"memgar", "exit code 134 (SIGABRT); it said: terminate called without an active exception"},
      {"nologdir", "cannot create directory"},
      {"commgroupmissing", "parse error at line 1"},
      {"pg", "communicator group 1 not found"},
      {"pg1", "Assertion `index_in_ring >= 0' failed"},
      {"cpu", "reported a fault; it said: warning! a callable is removed before call Only GPU and"},
      {"nocommtype", "Attribute comm_type not found in node 1"},
      {"strsize", "bad_cast"},
      {"missingrank", "3 of 4 ranks did not finish (0, 1, 3); it said: !!!Hardware Resource"},
      {"sizemismatch", "4 of 4 ranks did not finish (0, 1, 2, 3); it said: !!!Hardware Resource"},
      {"invalid", "reported a fault; it said: warning! a callable is removed before call Only GPU"},
      {"meta", "Invalid node_type, node.id=1, node.type=1"},
      {"barrier", "Unsupported collective comm type"},
      {"trunc", "Attribute comm_type not found in node 1"},
      {"zero_byte", "Failed to read global metadata"},
      {"garbage", "Only GPU and COMM types are supported"},
      {"json", "No dependancy free nodes found"},
      {"nometa", "Node 0 in data_dep graph, but not found"},
      {"roof0", "4 of 4 ranks did not finish (0, 1, 2, 3)"},
      {"roofmiss", "Attribute num_ops not found in node 0"},
  };
}

std::vector<Case> all_cases() {
  std::vector<Case> cases = cases_of_inputs();
  for (const Case& output : cases_of_outputs()) cases.push_back(output);
  return cases;
}

ChildResult recorded_run(const std::string& name, const std::string& exit_code) {
  const std::string text = test::read_text(test::astra_sim_path("errors/" + name + ".txt"));
  const std::string err_mark = "--- stderr\n";
  const std::size_t err = text.find(err_mark);
  ChildResult run;
  run.exit_code = std::stoi(exit_code);
  run.out = text.substr(0, err);
  run.err = text.substr(err + err_mark.size());
  return run;
}

std::string output_error(const Case& c, const test::CsvLine& line) {
  Inputs inputs = faultless();
  if (c.name == "un2d_1impl") two_dimensions(inputs);
  Expected expected = expected_output(inputs);
  expected.ranks = static_cast<std::uint32_t>(std::stoul(line.at("expected_ranks")));
  return run_error([&] {
    check_times(read_output(recorded_run(c.name, line.at("exit_code")), expected), expected.bounds);
  });
}

TEST(AstraSimFaults, EveryRecordedCaseIsInTheTable) {
  const std::string index = test::astra_sim_path("errors/index.csv");
  MOSIM_NEEDS(index);
  std::multiset<std::string> recorded;
  for (const test::CsvLine& line : test::read_plain_csv(index)) recorded.insert(line.at("case"));
  std::multiset<std::string> here;
  for (const Case& c : all_cases()) here.insert(c.name);
  EXPECT_EQ(here, recorded);
  EXPECT_EQ(recorded.size(), 49U);
}

TEST(AstraSimFaults, RecordedOutputsAreRefused) {
  const std::string index = test::astra_sim_path("errors/index.csv");
  MOSIM_NEEDS(index);
  std::map<std::string, test::CsvLine> lines;
  for (const test::CsvLine& line : test::read_plain_csv(index)) lines[line.at("case")] = line;
  for (const Case& c : all_cases()) {
    if (c.output.empty()) continue;
    EXPECT_NE(output_error(c, lines.at(c.name)).find(c.output), std::string::npos)
        << c.name << ": '" << output_error(c, lines.at(c.name)) << "'";
  }
}

TEST(AstraSimFaults, FaultyInputsAreRefusedBeforeTheRun) {
  EXPECT_EQ(run_error([] { check_inputs(faultless()); }), "");
  for (const Case& c : all_cases()) {
    EXPECT_FALSE(c.output.empty() && c.fault == nullptr) << c.name << " is refused nowhere";
    if (c.fault == nullptr) continue;
    Inputs inputs = faultless();
    c.fault(inputs);
    const std::string message = run_error([&] { check_inputs(inputs); });
    EXPECT_NE(message.find(c.input), std::string::npos) << c.name << ": '" << message << "'";
    EXPECT_FALSE(message.empty()) << c.name;
  }
}

// A good output of two ranks, to be spoilt.
std::string good_output() {
  std::string text;
  for (const char* rank : {"0", "1"}) {
    const std::string sys = std::string("[t] [x] [info] sys[") + rank + "]";
    text += sys + " finished, 150000 cycles, exposed communication 50000 cycles.\n";
    text += sys + ", Wall time: 150000\n" + sys + ", GPU time: 100000\n" + sys +
            ", Comm time: 60000\n" + sys + ", Total compute-communication overlap: 10000\n";
  }
  return text;
}

std::string error_on(const std::string& output, bool communicates = true) {
  Expected expected;
  expected.communicates = communicates;
  expected.ranks = 2;
  ChildResult run;
  run.out = output;
  return run_error([&] { (void)read_output(run, expected); });
}

TEST(AstraSimOutput, IncompleteOrContradictoryOutputIsRefused) {
  EXPECT_EQ(error_on(good_output()), "");
  EXPECT_NE(error_on(good_output(), false).find("rank 0 has a 'Comm time', but no such work"),
            std::string::npos);
  const struct {
    std::string from;
    std::string to;
    std::string message;
  } changes[] = {
      {"sys[1] finished", "sys[0] finished", "printed a line twice"},
      {"sys[1] finished", "sys[2] finished", "a line of rank 2, but there are 2 ranks"},
      {"sys[1] finished", "sys[1] stopped", "1 of 2 ranks did not finish (1)"},
      {"50000 cycles.", "50000 cyc", "cannot be read"},
      {"Wall time: 150000", "Wall time: 1e5", "cannot be read"},
      {"Wall time: 150000", "Wall time: 99999999999999999999", "cannot be read"},
      {"Wall time: 150000", "Wall: 150000", "the statistics of rank 0 lack 'Wall time'"},
      {"GPU time: 100000", "GPU: 100000", "the statistics of rank 0 lack 'GPU time'"},
      {"Comm time: 60000", "Comm: 60000", "the statistics of rank 0 lack 'Comm time'"},
      {"Wall time: 150000", "Wall time: 150001", "finished after 150000 cycles, but wall time"},
      {"GPU time: 100000", "GPU time: 160000", "wall time 150000 below the compute time 160000"},
      {"GPU time: 100000", "GPU time: 90000", "compute 90000, but 50000 exposed"},
      {"Comm time: 60000", "Comm time: 70000", "communication 70000, but 50000 exposed and 10000"},
  };
  for (const auto& change : changes) {
    std::string output = good_output();
    output.replace(output.find(change.from), change.from.size(), change.to);
    EXPECT_NE(error_on(output).find(change.message), std::string::npos)
        << change.message << ": '" << error_on(output) << "'";
  }
}

}  // namespace
}  // namespace mosim::astra_sim
