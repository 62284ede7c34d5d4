// Every format has an example scenario, which says where the real trace is and reads it.
#include <gtest/gtest.h>

#include <map>

#include "mosim/scenario.hpp"
#include "support/traces.hpp"

namespace mosim {
namespace {

std::string example_of(std::string_view format) {
  return std::string(MOSIM_SOURCE_DIR "/examples/traces/") + std::string(format) + ".yaml";
}

TEST(TraceExamples, EveryFormatHasOne) {
  for (const TraceFormat& format : trace_formats()) {
    if (format.name == "mosim") continue;  // examples/paper-testbed.yaml
    const std::string text = test::read_text(example_of(format.name));
    EXPECT_NE(text.find("\n  format: " + std::string(format.name) + "\n"), std::string::npos)
        << format.name;
    EXPECT_TRUE(text.starts_with("# ")) << format.name;
    EXPECT_NE(format.name == "generic", text.find("# https://") != std::string::npos);
  }
}

TEST(TraceExamples, TheyRunOnSamplesOfTheRealTraces) {
  const std::string traces = test::shared_path("traces");
  MOSIM_NEEDS(traces);
  const std::map<std::string_view, std::string> samples{
      {"philly", "philly/cluster_job_log.sample.json"},
      {"philly-csv", "philly/philly_jobs_first3000.csv"},
      {"helios", "helios/cluster_log.sample.csv"},
      {"acme", "acme/trace_seren.sample.csv"},
      {"pai-2020", "alibaba-pai-2020"},
      {"openb", "alibaba-openb-2023/openb_pod_list_default.csv"},
      {"elasticflow", "elasticflow-itp/195job.csv"},
      {"tiresias", "tiresias/60_job.csv"},
      {"muri", "muri/trace3.csv"},
      {"gavel", "gavel/max_min_fairness.trace"},
      {"pollux", "pollux/workloads/workload-1.csv"}};
  for (const TraceFormat& format : trace_formats()) {
    const auto sample = samples.find(format.name);
    if (sample == samples.end()) continue;
    std::vector<Override> overrides{{"trace.file", traces + "/" + sample->second, "--set", false},
                                    {"trace.limit", "50", "--set", false}};
    if (format.name == "gavel") {
      overrides.push_back(
          {"trace.throughputs", traces + "/gavel/simulation_throughputs.json.gz", "--set", false});
    }
    const PreparedRun run = prepare(load_scenario(example_of(format.name), overrides));
    EXPECT_EQ(run.trace.format, format.name);
    EXPECT_FALSE(run.jobs.empty()) << format.name;
  }
}

TEST(TraceExamples, TheGenericOneReadsTheRowsThatItShows) {
  const test::TemporaryFolder folder;
  const std::string trace = folder.write(
      "jobs.csv",
      "job;user;submitted;started;ended;gpus;state\n"
      "17;ann;2024-05-01 09:00:00;2024-05-01 09:00:20;2024-05-01 11:30:00;8;COMPLETED\n");
  const PreparedRun run =
      prepare(load_scenario(example_of("generic"), {{"trace.file", trace, "--set", false}}));
  ASSERT_EQ(run.trace.jobs.size(), 1U);
  const TraceJob& job = run.trace.jobs[0];
  EXPECT_EQ(job.id, "17");
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.start_s, 20);
  EXPECT_EQ(job.duration_s, 8980);  // 2 h 29 min 40 s
  EXPECT_EQ(job.status, JobStatus::completed);
  EXPECT_EQ(job.gpus(), 8U);
}

}  // namespace
}  // namespace mosim
