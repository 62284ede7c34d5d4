#include <gtest/gtest.h>

#include "support/traces.hpp"

namespace mosim {
namespace {

// Ten fields: type, command, folder, argument of steps, data folder, steps, GPUs, weight, SLO,
// arrival.
std::string ten(const std::string& type, const std::string& steps, const std::string& gpus,
                const std::string& slo, const std::string& arrival) {
  return type + "\tpython3 main.py --say \"hi\"\tfolder\t--steps\t1\t" + steps + "\t" + gpus +
         "\t1\t" + slo + "\t" + arrival + "\n";
}

constexpr const char* kThroughputs = R"json({
  "v100": {"('LM (batch size 5)', 1)": {"null": 4.0, "('A3C', 1)": [1.0, 2.0]},
           "('LM (batch size 5)', 2)": {"null": 0.0}},
  "k80": {"('LM (batch size 5)', 1)": {"null": 0.5}}})json";

Trace read_with(const std::string& throughputs, const std::string& gpu, const std::string& text) {
  const test::TemporaryFolder folder;
  TraceOptions options;
  options.throughputs = folder.write("t.json", throughputs);
  options.throughputs_gpu = gpu;
  return test::read_trace_text(text, options);
}

TEST(Gavel, DurationsAreStepsOverTheMeasuredThroughput) {
  const std::string folder = test::shared_path("traces/gavel");
  MOSIM_NEEDS(folder);
  TraceOptions options;
  options.file = folder + "/max_min_fairness.trace";
  options.throughputs = folder + "/simulation_throughputs.json.gz";
  const Trace trace = read_trace(options);
  EXPECT_EQ(trace.format, "gavel");
  ASSERT_EQ(trace.jobs.size(), 96U);
  const TraceJob& job = trace.jobs[0];
  EXPECT_EQ(job.id, "0");
  EXPECT_EQ(job.model, "ResNet-18 (batch size 128)");
  EXPECT_EQ(job.gpus(), 4U);
  EXPECT_EQ(job.iterations, 925982);
  EXPECT_DOUBLE_EQ(job.duration_s, 925982 / 69.95051765177759);  // "v100", scale 4, "null"
  EXPECT_FALSE(job.deadline_s.has_value());                      // its SLO is -1.000000
  EXPECT_EQ(trace.jobs.back().submit_s, 46317);
  double duration_s = 0;
  for (const TraceJob& one : trace.jobs) duration_s += one.duration_s;
  EXPECT_NEAR(duration_s, 814902.5023205983, 1e-6);  // the same sum by Python's json
}

TEST(Gavel, TheOtherTracesOfTenFieldsLoad) {
  const std::string folder = test::shared_path("traces/gavel");
  MOSIM_NEEDS(folder);
  // awk -F'\t' '{g+=$7}END{print NR,g}' of each
  EXPECT_EQ(read_trace({.file = folder + "/minimize_makespan.trace"}).jobs.size(), 100U);
  const Trace small = read_trace({.file = folder + "/small_test.trace"});
  ASSERT_EQ(small.jobs.size(), 20U);
  std::uint64_t gpus = 0;
  for (const TraceJob& job : small.jobs) gpus += job.gpus();
  EXPECT_EQ(gpus, 23U);
  EXPECT_FALSE(small.jobs[0].duration_known);
  EXPECT_EQ(small.jobs[0].iterations, 346);
}

TEST(Gavel, TheOlderFormHasSevenFieldsAndItsArrivalBeforeTheGpus) {
  const std::string folder = test::shared_path("traces/gavel");
  MOSIM_NEEDS(folder);
  TraceOptions options;
  options.file = folder + "/msr-seed0-2869ce.trace.gz";
  options.throughputs = folder + "/simulation_throughputs.json.gz";
  const Trace trace = read_trace(options);
  EXPECT_EQ(trace.format, "gavel");
  ASSERT_EQ(trace.jobs.size(), 533U);
  const TraceJob& job = trace.jobs[0];  // 5352613 steps, 0.000000, 4 GPUs
  EXPECT_EQ(job.model, "Transformer (batch size 128)");
  EXPECT_EQ(job.submit_s, 0);
  EXPECT_EQ(job.workers, 4U);
  EXPECT_DOUBLE_EQ(job.duration_s, 5352613 / 14.17451716526748);
  std::uint64_t gpus = 0;
  std::size_t unknown = 0;
  for (const TraceJob& one : trace.jobs) {
    gpus += one.gpus();
    unknown += one.duration_known ? 0 : 1;
  }
  EXPECT_EQ(gpus, 5425U);    // awk -F'\t' '{g+=$7}END{print g}'
  EXPECT_EQ(unknown, 179U);  // no throughput was measured for their type on so many GPUs
}

TEST(Gavel, WithoutThroughputsJobsHaveStepsOnly) {
  const Trace trace = test::read_trace_text(ten("LM (batch size 5)", "100", "1", "2.0", "20") +
                                            ten("A3C", "7", "2", "-1.000000", "3.5") + "\n\n");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, "1");  // the row; sorted by arrival
  EXPECT_EQ(trace.jobs[0].submit_s, 3.5);
  EXPECT_EQ(trace.jobs[0].workers, 2U);
  EXPECT_FALSE(trace.jobs[1].duration_known);
  EXPECT_EQ(trace.jobs[1].iterations, 100);
  EXPECT_FALSE(trace.jobs[1].deadline_s.has_value());  // a multiple of what is not known
}

TEST(Gavel, AnSloIsAMultipleOfTheDuration) {
  const std::string row = ten("LM (batch size 5)", "100", "1", "2.0", "20");
  const Trace on_v100 = read_with(kThroughputs, "v100", row);
  EXPECT_EQ(on_v100.jobs[0].duration_s, 25);
  EXPECT_EQ(on_v100.jobs[0].deadline_s, 70);
  EXPECT_EQ(read_with(kThroughputs, "k80", row).jobs[0].duration_s, 200);
}

TEST(Gavel, AThroughputOfZeroGivesNoDuration) {
  const Trace trace =
      read_with(kThroughputs, "v100", ten("LM (batch size 5)", "1", "2", "-1", "0"));
  EXPECT_FALSE(trace.jobs[0].duration_known);
}

TEST(Gavel, WrongThroughputsAreRefused) {
  const std::string row = ten("LM (batch size 5)", "1", "1", "-1", "0");
  const auto error = [&](const std::string& json, const std::string& gpu) {
    return test::input_error([&] { (void)read_with(json, gpu, row); });
  };
  const std::string unknown = error(kThroughputs, "v10");
  EXPECT_NE(unknown.find("has no GPU type 'v10'"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("v100"), std::string::npos) << unknown;
  EXPECT_NE(error("{", "v100").find("is not a JSON object"), std::string::npos);
  EXPECT_NE(error(R"({"v100": 3})", "v100").find("has 'v100', which is not an object"),
            std::string::npos);
  for (const char* json :
       {R"json({"v100": {"('A', 1)": {}}})json", R"json({"v100": {"('A', 1)": 5}})json",
        R"json({"v100": {"('A', 1)": {"null": "fast"}}})json"}) {
    EXPECT_NE(error(json, "v100").find("has no number of steps per second"), std::string::npos);
  }
}

TEST(Gavel, TheFormOfNineFieldsHasNoFolder) {
  const Trace trace = test::read_trace_text("A3C\tcmd\t-n\t1\t50\t4\t1.0\t-1.0\t12.5\n");
  EXPECT_EQ(trace.format, "gavel");
  EXPECT_EQ(trace.jobs[0].iterations, 50);
  EXPECT_EQ(trace.jobs[0].workers, 4U);
  EXPECT_EQ(trace.jobs[0].submit_s, 12.5);
}

TEST(Gavel, LinesOfAnotherFormAndWrongNumbersHaveTheirPlace) {
  const std::string good = ten("A3C", "7", "2", "-1", "0");
  const std::string error = test::trace_error(good + "A3C\tcmd\t-n\t1\t50\t0.0\t4\n" +
                                              ten("A3C", "many", "2", "-1", "0"));
  EXPECT_NE(error.find(":2:1: has 7 fields; expected 10"), std::string::npos) << error;
  EXPECT_NE(error.find("total_steps is 'many'"), std::string::npos) << error;
  EXPECT_NE(test::trace_error("a b c\n", {.file = "", .format = "gavel"})
                .find("lines of 7, 9 or 10 fields"),
            std::string::npos);
}

TEST(Gavel, DurationsFromIterationsNeedOne) {
  const test::TemporaryFolder folder;
  const std::string trace = folder.write("a.trace", ten("bert", "7", "2", "-1", "0"));
  const std::string arguments = "run --trace " + trace + " -o " + folder.path("out");
  EXPECT_EQ(test::run_mosim(arguments).exit_code, 0);
  const test::CommandResult refused =
      test::run_mosim(arguments + " --force --set trace.iterations=duration");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find(trace + ":1:1: job '0' has iterations, but no duration"),
            std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace mosim
