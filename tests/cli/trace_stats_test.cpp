#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/command.hpp"

namespace mosim::test {
namespace {

using Json = nlohmann::json;

// Two jobs, of 2 and 8 GPU-hours; the second's virtual cluster has a name that needs care.
class TraceStatsCommand : public ::testing::Test {
 protected:
  CommandResult stats(const std::string& arguments) const {
    const std::string file = folder_.write("t.csv",
                                           "timestamp,duration,num_gpus,gpu_time,cluster\n"
                                           "2017-10-09 07:00:00,7200.0,1,7200.0,a\n"
                                           "2017-10-09 09:30:00,3600.0,8,28800.0,\"b|c,d\"\n");
    return run_mosim("trace stats " + file + " " + arguments);
  }

  TemporaryFolder folder_;
};

void expect_holds(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
}

TEST_F(TraceStatsCommand, TableFitsATerminal) {
  const CommandResult result = stats("");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_holds(result.out, "t.csv, format philly-csv\n");
  expect_holds(result.out,
               R"(
jobs                                      2
GPUs asked for                            9
GPU-hours                             10.00
jobs of at most 8 GPUs              100.0 %  MoSim's paper: over 86 % of Philly's
first submission        2017-10-09 07:00:00
last submission         2017-10-09 09:30:00  2h 30m later
last end                2017-10-09 10:30:00  jobs without a start: as if started when submitted
submissions per hour                   0.40
mean gap between them                2h 30m  coefficient of variation 0.00
peak of GPUs in use                       8  at 2017-10-09 09:30:00, if all started when submitted
)");
  expect_holds(result.out, R"(
GPUs of a job
     jobs   share  GPU-hours   share
1       1  50.0 %       2.00  20.0 %
5-8     1  50.0 %       8.00  80.0 %

Duration
            jobs    share
1 h to 3 h     2  100.0 %  ##############################

Submissions by hour of the day, the trace's own clock
       jobs  per hour
07:00     1      1.00  ##############################
08:00     0      0.00
09:00     1      1.00  ##############################

Submissions by weekday, the trace's own clock
        jobs  per hour
Monday     2      0.67  ##############################
)");
  expect_holds(result.out, R"(
Virtual clusters
       jobs   share  GPU-hours   share
b|c,d     1  50.0 %       8.00  80.0 %
a         1  50.0 %       2.00  20.0 %
)");
  std::istringstream lines(result.out.substr(result.out.find('\n') + 1));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(TraceStatsCommand, Markdown) {
  const CommandResult result = stats("--format markdown");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_holds(result.out,
               "\n### Virtual clusters\n\n"
               "|  | jobs | share | GPU-hours | share |\n"
               "|---|---:|---:|---:|---:|\n"
               "| b\\|c,d | 1 | 50.0 % | 8.00 | 80.0 % |\n");
}

TEST_F(TraceStatsCommand, Json) {
  const CommandResult result = stats("--format json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["trace"]["format"], "philly-csv");
  EXPECT_EQ(json["totals"]["jobs"], 2);
  EXPECT_EQ(json["totals"]["gpu_hours"], 10);
  EXPECT_EQ(json["span"]["last_submission_s"], 9000);
  EXPECT_EQ(json["span"]["last_submission"], "2017-10-09 09:30:00");
  EXPECT_EQ(json["arrivals"]["clock"], "calendar");
  EXPECT_EQ(json["arrivals"]["by_hour"][9]["jobs"], 1);
  EXPECT_EQ(json["arrivals"]["by_weekday"][0]["name"], "Monday");
  EXPECT_EQ(json["gpu_counts"][1]["fewest"], 5);
  EXPECT_EQ(json["duration_s"]["max"], 7200);
  EXPECT_EQ(json["queueing_delay_s"]["count"], 0);
  EXPECT_TRUE(json["duration_s"]["histogram"].back()["to_s"].is_null());
  EXPECT_EQ(json["virtual_clusters"][0]["gpu_hour_share"], 0.8);
  EXPECT_EQ(json["demand"]["peak_gpus"], 8);
  EXPECT_FALSE(json["demand"].contains("load"));
  EXPECT_EQ(json["account"]["jobs_read"], 2);
}

TEST_F(TraceStatsCommand, CsvIsSectionKeyValue) {
  const CommandResult result = stats("--format csv");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find("section,key,value\nschema_version,,1\n"), 0U) << result.out;
  expect_holds(result.out, "\ntotals,gpu_hours,10.0\n");
  expect_holds(result.out, "\ngpu_counts,5-8.jobs,1\n");
  expect_holds(result.out, "\narrivals,by_weekday.Monday.hours,3\n");
  expect_holds(result.out, "\nduration_s,histogram.0.to_s,1.0\n");
  expect_holds(result.out, "\nvirtual_clusters,\"b|c,d.gpu_hours\",8.0\n");
}

// 10 GPU-hours in 2.5 hours on 4 servers of 2 GPUs: half the cluster.
TEST_F(TraceStatsCommand, TheLoadOnACluster) {
  const std::string cluster = folder_.write("c.yaml", "servers: [{count: 4, gpus: 2}]\n");
  for (const std::string& given : {"--cluster " + cluster, "--set cluster.file=" + cluster,
                                   std::string("--set 'cluster.servers=[{count: 4, gpus: 2}]'")}) {
    const CommandResult result = stats("--format json " + given);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const Json demand = Json::parse(result.out)["demand"];
    EXPECT_EQ(demand["cluster_gpus"], 8) << given;
    EXPECT_EQ(demand["load"], 0.5) << given;
    EXPECT_EQ(demand["peak_over_cluster"], 1) << given;
  }
}

TEST_F(TraceStatsCommand, FlagsAreShortForKeys) {
  const auto account = [&](const std::string& arguments) {
    const CommandResult result = stats("--format json " + arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const Json json = Json::parse(result.out);
    return std::pair{json["totals"]["jobs"].get<int>(), json["account"]["filtered"].get<int>()};
  };
  const std::pair one_left{1, 1};
  for (const char* flag : {"--from 1h", "--until 1h", "--min-gpus 2", "--max-gpus 2", "--limit 1",
                           "--virtual-cluster a", "--set trace.limit=1"}) {
    EXPECT_EQ(account(flag), one_left) << flag;
  }
  const std::pair all_left{2, 0};
  for (const char* flag : {"--status unknown", "--sample 1 --sample-seed 7",
                           "--trace-format philly-csv", "--time-scale 2", "--load-scale 2"}) {
    EXPECT_EQ(account(flag), all_left) << flag;
  }
}

TEST_F(TraceStatsCommand, WhatIsLeftOutIsCounted) {
  const std::string file = folder_.write(
      "bad.csv", "timestamp,duration,num_gpus\n2017-10-09 07:00:00,1,1\nyesterday,1,1\n");
  EXPECT_EQ(run_mosim("trace stats " + file).exit_code, 3);
  const CommandResult result = run_mosim("trace stats --lenient --format json " + file);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json account = Json::parse(result.out)["account"];
  EXPECT_EQ(account["jobs_read"], 2);
  EXPECT_EQ(account["found"][0]["name"], "bad-row");
  EXPECT_EQ(account["found"][0]["treatment"], "drop");
  EXPECT_EQ(account["found"][0]["dropped"], 1);
  expect_holds(account["bad_rows"][0].get<std::string>(), "bad.csv:3:1: timestamp is 'yesterday'");
  expect_holds(run_mosim("trace stats --lenient " + file).out, "timestamp is 'yesterday'");
}

TEST_F(TraceStatsCommand, NamesThatAreNoTextAreStillPrinted) {
  const std::string file = folder_.write(
      "n.csv", "timestamp,duration,num_gpus,cluster\n2017-10-09 07:00:00,1,1,\xff\xc3\n");
  for (const char* format : {"table", "json", "csv", "markdown"}) {
    const CommandResult result = run_mosim(fmt::format("trace stats {} --format {}", file, format));
    EXPECT_EQ(result.exit_code, 0) << format << result.err;
  }
}

TEST_F(TraceStatsCommand, StandardInput) {
  const CommandResult result = run_command(
      "printf 'timestamp,duration,num_gpus\\n2017-10-09 07:00:00,1,1\\n' | {mosim} trace stats - "
      "--format csv");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_holds(result.out, "\ntotals,jobs,1\n");
}

TEST_F(TraceStatsCommand, MistakesAreRefused) {
  EXPECT_EQ(run_mosim("trace").exit_code, 2);
  EXPECT_EQ(run_mosim("trace stats").exit_code, 2);
  EXPECT_EQ(stats("--format xml").exit_code, 2);
  EXPECT_EQ(stats("--no-such-flag").exit_code, 2);
  const CommandResult missing = run_mosim("trace stats " + folder_.path("none.csv"));
  EXPECT_EQ(missing.exit_code, 3);
  expect_holds(missing.err, "none.csv:1:1: does not exist");
  EXPECT_EQ(missing.out, "");
  EXPECT_EQ(stats("--limit many").exit_code, 3);
  EXPECT_EQ(stats("--status asleep").exit_code, 3);
  EXPECT_EQ(stats("--set trace.limitt=1").exit_code, 3);
  EXPECT_EQ(stats("--cluster " + folder_.path("none.yaml")).exit_code, 3);
}

TEST(TraceStatsOfDemo, TheDocumentedOutputIsWhatIsPrinted) {
  const CommandResult result = run_mosim(
      "trace stats bundled:traces/demo.csv --cluster bundled:clusters/testbed-32gpu.yaml");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_holds(read_text(std::string(MOSIM_SOURCE_DIR) + "/docs/traces.md"),
               "```\n" + result.out + "```\n");
}

// The public trace, against what awk makes of it.
TEST(TraceStatsOfPhilly, AgreesWithAwk) {
  const std::string file = shared_path("traces/philly/philly_jobs.csv.gz");
  MOSIM_NEEDS(file);
  const CommandResult awk = run_command("zcat " + file +
                                        R"( | awk -F, 'NR > 1 && NF > 2 {
             ++jobs; gpus += $3; gpu_s += $4; if ($3 <= 8) ++small; ++at[substr($1, 12, 2)]
             if (first == "" || $1 < first) first = $1
             if ($1 > last) last = $1 }
           END { printf "%d,%d,%.0f,%d,%d,%s,%s\n", jobs, gpus, gpu_s, small, at["13"], first, last }')");
  ASSERT_EQ(awk.exit_code, 0) << awk.err;
  std::istringstream fields(awk.out);
  const auto next = [&](char end = ',') {
    std::string field;
    std::getline(fields, field, end);
    return field;
  };
  const CommandResult result = run_mosim("trace stats --format json " + file);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["totals"]["jobs"], 82247);
  EXPECT_EQ(json["totals"]["jobs"], std::stoull(next()));
  EXPECT_EQ(json["totals"]["gpus"], std::stoull(next()));
  const double gpu_s = std::stod(next());
  EXPECT_NEAR(gpu_s, 3.52108e9, 1e4);
  EXPECT_NEAR(json["totals"]["gpu_hours"].get<double>() * 3600, gpu_s, 1e-9 * gpu_s);
  EXPECT_DOUBLE_EQ(json["totals"]["share_of_jobs_up_to_8_gpus"], std::stod(next()) / 82247);
  EXPECT_EQ(json["arrivals"]["by_hour"][13]["jobs"], std::stoull(next()));
  const std::string first = next();
  const std::string last = next('\n');
  EXPECT_EQ(json["span"]["first_submission"], first);
  EXPECT_EQ(json["span"]["last_submission"], last);
  const CommandResult span = run_command("echo $(( $(date -u -d '" + last +
                                         "' +%s) - $(date -u -d '" + first + "' +%s) ))");
  EXPECT_EQ(json["span"]["last_submission_s"], std::stod(span.out)) << span.err;
}

}  // namespace
}  // namespace mosim::test
