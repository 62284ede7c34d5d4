#include <gtest/gtest.h>

#include <filesystem>

#include "mosim/generate.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

TEST(TraceGenerate, TheBundledSampleIsWhatTheCommandWrites) {
  const test::CommandResult result = test::run_mosim("trace generate --preset philly-like");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, test::read_text(MOSIM_SOURCE_DIR "/data/traces/philly-like.csv"));
}

TEST(TraceGenerate, WritesAFileWholeAndDoesNotReplaceOne) {
  const test::TemporaryFolder folder;
  const std::string file = folder.path("t.csv");
  const std::string command = "trace generate --preset steady --jobs 20 --seed 3 -o " + file;
  EXPECT_EQ(test::run_mosim(command).exit_code, 0);
  const Trace trace = read_trace({.file = file});
  EXPECT_EQ(trace.jobs.size(), 20U);
  EXPECT_EQ(test::run_mosim(command).exit_code, 3);
  EXPECT_EQ(test::run_mosim(command + " --force --jobs 30").exit_code, 2);  // --jobs twice
  EXPECT_EQ(test::run_mosim(command + " --force").exit_code, 0);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator(folder.path(""))) {
    ++files;
  }
  EXPECT_EQ(files, 1U);
}

TEST(TraceGenerate, PresetsStayWithinTheirRanges) {
  for (const std::string& preset : generator_presets()) {
    TraceGenerator generator(read_generator("bundled:generators/" + preset + ".yaml"));
    TraceJob job;
    std::uint64_t jobs = 0;
    for (; generator.next(job); ++jobs) {
      if (preset != "paper") continue;
      EXPECT_TRUE(job.workers == 2 || job.workers == 4 || job.workers == 8);
      EXPECT_GE(job.duration_s, 180);
      EXPECT_LE(job.duration_s, 424 * 60);
    }
    EXPECT_EQ(jobs, 1000U) << preset;
  }
}

TEST(TraceGenerate, BadSpecificationsTellWhereAndWhat) {
  const std::string rest = "gpus: 1\ndurations: {law: constant, value: 1 s}\n";
  const std::string good = "arrivals: {rate: 1/h}\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {good + rest + "user: a\n", "s.yaml:4:1: unknown key 'user'; expected one of"},
      {"arrivals: {rate: 5}\n" + rest, "s.yaml:1:18: rate is '5'"},
      {"arrivals: {rate: -1/h}\n" + rest, "s.yaml:1:18"},
      {"arrivals: {rate: 1/h, hours: [1, 2]}\n" + rest, "hours has 2 numbers"},
      {"arrivals: {rate: 1/h, variation: 0.5}\n" + rest, "variation is '0.5'"},
      {good + "gpus: [1, x]\ndurations: {law: constant, value: 1 s}\n", "'x'"},
      {good + "gpus: {1: 0}\ndurations: {law: constant, value: 1 s}\n", "nothing to draw from"},
      {good + "gpus: {min: 8, max: 2}\ndurations: {law: constant, value: 1 s}\n", "min is above"},
      {good + "gpus_per_worker: 8\ngpus: [12]\ndurations: {law: constant, value: 1 s}\n",
       "12 GPUs"},
      {good + "gpus: 1\ndurations: {law: lognormal}\n", "nearest: 'log-normal'"},
      {good + "gpus: 1\ndurations: {law: uniform, min: 2 s, max: 1 s}\n", "do not fit"},
      {good + "gpus: 1\ndurations: {law: log-normal, median: 1 s, sigma: 0.1, min: 1 d}\n",
       "no durations between"},
      {good + "gpus: 1\ndurations: {law: empirical, percentiles: [[0, 1 s], [50, 2 s]]}\n",
       "0 to 100 percent"},
      {good + rest + "statuses: [complete]\n", "nearest: 'completed'"},
  };
  const test::TemporaryFolder folder;
  for (const auto& [text, message] : cases) {
    const std::string file = folder.write("s.yaml", text);
    const test::CommandResult result =
        test::run_mosim("trace generate --spec " + file + " -o " + folder.path("out.csv"));
    EXPECT_EQ(result.exit_code, 3) << text;
    EXPECT_NE(result.err.find(message), std::string::npos) << text << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path("out.csv")));
  }
}

TEST(TraceGenerate, UsageIsChecked) {
  EXPECT_EQ(test::run_mosim("trace generate --preset nosuch").exit_code, 3);
  EXPECT_EQ(test::run_mosim("trace generate --preset paper --like x.csv").exit_code, 2);
  EXPECT_EQ(test::run_mosim("trace generate --jobs 0").exit_code, 2);
  for (const char* wrong :
       {"--jitter=nan", "--jitter=inf", "--jitter=-1", "--jitter=101", "--seed=-1", "--seed=1.5",
        "--seed=18446744073709551616", "--jobs=-18446744073709551615", "--jobs=1000000000001"}) {
    const test::CommandResult result = test::run_mosim(std::string("trace generate ") + wrong);
    EXPECT_EQ(result.exit_code, 2) << wrong;
    EXPECT_NE(result.err.find("expected a"), std::string::npos) << wrong << result.err;
    EXPECT_EQ(result.out, "") << wrong;
  }
  EXPECT_EQ(test::run_mosim("trace generate --jobs 1 --seed 18446744073709551615").exit_code, 0);
}

TEST(TraceGenerate, AStartIsATimeOfTheWeek) {
  const test::TemporaryFolder folder;
  const auto starting = [&](const std::string& start) {
    const std::string file = folder.write(
        "s.yaml", "arrivals: {rate: 20/d, weekdays: [1, 1, 1, 1, 1, 0, 0], start: " + start +
                      "}\ngpus: 1\ndurations: {law: constant, value: 1 s}\n");
    return test::run_mosim("trace generate --jobs 50 --spec " + file).out;
  };
  const std::string friday = starting("4 d");
  EXPECT_NE(friday, starting("3 d"));
  EXPECT_EQ(friday, starting("700000000004 d"));
}

TEST(TraceGenerate, ReadsTheTraceOfFitAndLikeAsTraceStatsDoes) {
  const test::TemporaryFolder folder;
  const std::string trace = folder.write("t.csv",
                                         "job_id,model,arrival_time,duration,gpu_workers\n"
                                         "0,bert,0,5,1\n1,bert,60,7,8\n2,bert,bad,7,8\n"
                                         "3,bert,120,9,8\n");
  const std::string like = "trace generate --like " + trace;
  EXPECT_EQ(test::run_mosim(like).exit_code, 3);
  for (const std::string& filter :
       {std::string("--lenient --min-gpus 2"), std::string("--set trace.lenient=true --min-gpus 2"),
        "--min-gpus 2 --scenario " + folder.write("s.yaml", "trace: {lenient: true}\n")}) {
    const test::CommandResult result = test::run_mosim(like + " --jobs 40 " + filter);
    ASSERT_EQ(result.exit_code, 0) << filter << result.err;
    const Trace drawn = read_trace({.file = folder.write("drawn.csv", result.out)});
    EXPECT_EQ(drawn.jobs.size(), 40U);
    for (const TraceJob& job : drawn.jobs) EXPECT_EQ(job.workers, 8U) << filter;
  }
  const test::CommandResult fitted = test::run_mosim(
      "trace generate -q --print-spec --lenient "
      "--min-gpus 2 --fit " +
      trace);
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_NE(fitted.out.find("jobs: 2\n"), std::string::npos) << fitted.out;
  EXPECT_EQ(test::run_mosim(like + " --lenient --min-gpus 9").exit_code, 3);  // no job is left
  EXPECT_EQ(test::run_mosim("trace generate --preset paper --min-gpus 2").exit_code, 2);
}

TEST(TraceGenerate, TheBundledScenarioRuns) {
  const test::TemporaryFolder folder;
  const test::CommandResult result = test::run_mosim(
      "run " MOSIM_SOURCE_DIR "/data/scenarios/philly-like.yaml --json -o " + folder.path("out"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace mosim
