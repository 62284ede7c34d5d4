#include "mosim/compare.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mosim/base.hpp"
#include "support/command.hpp"
#include "support/traces.hpp"

namespace mosim::test {
namespace {

using Json = nlohmann::json;
using Labels = std::vector<std::string>;

TEST(ShortestLabels, AreTailsThatTellThePathsApart) {
  EXPECT_EQ(shortest_labels({"out/a", "out/b"}), (Labels{"a", "b"}));
  EXPECT_EQ(shortest_labels({"x/run", "y/run/", "z/other"}), (Labels{"x/run", "y/run", "other"}));
  EXPECT_EQ(shortest_labels({"/p/1/run", "/p/2/run"}), (Labels{"1/run", "2/run"}));
  EXPECT_EQ(shortest_labels({"run", "x/run"}), (Labels{"run", "x/run"}));
  EXPECT_EQ(shortest_labels({"./run", "./b/../c"}), (Labels{"run", "c"}));
}

TEST(ComparedMetric, ChangesAreRelativeToTheFirst) {
  const ComparedMetric metric{"jct_s.avg", {200, 150, 250, std::nullopt}};
  EXPECT_DOUBLE_EQ(*metric.change(0), 0);
  EXPECT_DOUBLE_EQ(*metric.change(1), -0.25);
  EXPECT_DOUBLE_EQ(*metric.change(2), 0.25);
  EXPECT_FALSE(metric.change(3));
  const ComparedMetric from_zero{"wait_s.avg", {0, 0, 5}};
  EXPECT_DOUBLE_EQ(*from_zero.change(1), 0);
  EXPECT_FALSE(from_zero.change(2));
}

constexpr const char* kJobs =
    "job_id,gpus,submit_s,jct_s\n"
    "a,1,0,100\nb,2,0,200\nc,4,10,300\nd,8,20,400\n";
constexpr const char* kScenario = "cluster:\n  servers:\n    - {count: 2, gpus: 8, nic: 5 Gbps}\n";

// Folders of runs as far as they are read. The averages of the JCT are of the files' making.
class CompareRuns : public testing::Test {
 protected:
  std::string make(const std::string& name, const std::string& jobs, double avg_jct_s,
                   const std::string& scenario = kScenario, int gpus = 16, int finished = 4) const {
    std::filesystem::create_directories(folder.path(name));
    (void)folder.write(name + "/jobs.csv", jobs);
    (void)folder.write(name + "/scenario.resolved.yaml", scenario);
    const Json three = {{"avg", 10}, {"median", 10}, {"p99", 10}};
    Json summary = {{"jobs", {{"finished", finished}}},
                    {"cluster", {{"servers", 2}, {"gpus", gpus}}},
                    {"training_s", three},
                    {"wait_s", three},
                    {"jct_s", three},
                    {"makespan_s", 500},
                    {"gpu_utilization", 0.5},
                    {"mean_contention", 1.5}};
    summary["jct_s"]["avg"] = avg_jct_s;
    (void)folder.write(name + "/summary.json", summary.dump(2) + "\n");
    return folder.path(name);
  }

  TemporaryFolder folder;
};

TEST_F(CompareRuns, SetsMetricsAndJobsSideBySide) {
  // In another order: a gains 60, b stays, c loses 30, d gains 100.
  const RunComparison comparison = compare_runs(
      {make("first", kJobs, 250),
       make("other", "job_id,gpus,submit_s,jct_s\nd,8,20,300\nc,4,10,330\nb,2,0,200\na,1,0,40\n",
            200)});
  EXPECT_EQ(comparison.labels, (Labels{"first", "other"}));
  EXPECT_TRUE(comparison.warnings.empty()) << comparison.warnings.front();
  const ComparedMetric& jct = comparison.metrics[8];
  EXPECT_EQ(jct.name, "jct_s.avg");
  EXPECT_DOUBLE_EQ(*jct.values[1], 200);
  EXPECT_DOUBLE_EQ(*jct.change(1), -0.2);
  EXPECT_EQ(comparison.metrics.back().name, "goodput");
  EXPECT_FALSE(comparison.metrics.back().values[0]) << "an earlier version has none";
  ASSERT_EQ(comparison.jobs.size(), 1U);
  const JobComparison& jobs = comparison.jobs[0];
  EXPECT_EQ(jobs.common, 4U);
  EXPECT_EQ(jobs.gained, 2U);
  EXPECT_EQ(jobs.lost, 1U);
  EXPECT_EQ(jobs.same, 1U);
  EXPECT_DOUBLE_EQ(jobs.median_change_s, -30);  // of -100, -60, 0, 30
  ASSERT_EQ(jobs.most_gained.size(), 2U);
  EXPECT_EQ(jobs.most_gained[0].job_id, "d");
  EXPECT_DOUBLE_EQ(jobs.most_gained[0].change_s(), -100);
  EXPECT_EQ(jobs.most_gained[1].job_id, "a");
  ASSERT_EQ(jobs.most_lost.size(), 1U);
  EXPECT_EQ(jobs.most_lost[0].job_id, "c");
}

TEST_F(CompareRuns, TellsOtherTracesAndComparesTheCommonJobs) {
  // a is another size, b comes later, d is missing, e is new: c alone is common.
  const RunComparison comparison = compare_runs(
      {make("first", kJobs, 250),
       make("other", "job_id,gpus,submit_s,jct_s\na,2,0,100\nb,2,5,200\nc,4,10,310\ne,8,20,400\n",
            250)});
  EXPECT_EQ(comparison.warnings, (Labels{"first and other: 1 jobs are in the first only",
                                         "first and other: 1 jobs are in the second only",
                                         "first and other: 1 jobs have other GPUs",
                                         "first and other: 1 jobs have another submission",
                                         "first and other: figures job by job are of the 1 common "
                                         "jobs"}));
  EXPECT_EQ(comparison.jobs[0].common, 1U);
  EXPECT_EQ(comparison.jobs[0].lost, 1U);
  EXPECT_DOUBLE_EQ(comparison.jobs[0].median_change_s, 10);
}

TEST_F(CompareRuns, TellsOtherModels) {
  const char* was = "job_id,model,gpus,submit_s,jct_s\na,vgg16,1,0,100\nb,bert,2,0,200\n";
  const char* is = "job_id,model,gpus,submit_s,jct_s\na,vgg16,1,0,100\nb,gpt2,2,0,100\n";
  const RunComparison comparison = compare_runs(
      {make("first", was, 150, kScenario, 16, 2), make("other", is, 100, kScenario, 16, 2)});
  EXPECT_EQ(comparison.warnings,
            (Labels{"first and other: 1 jobs have another model",
                    "first and other: figures job by job are of the 1 common jobs"}));
  EXPECT_EQ(comparison.jobs[0].gained, 0U);
}

TEST_F(CompareRuns, TellsOtherClusters) {
  const RunComparison comparison =
      compare_runs({make("first", kJobs, 250),
                    make("other", kJobs, 250,
                         "cluster:\n  servers:\n    - {count: 2, gpus: 8, nic: 7 Gbps}\n"
                         "    - {count: 1, gpus: 8}\n  unmapped: drop\n",
                         24)});
  EXPECT_EQ(comparison.warnings,
            (Labels{"first and other: the cluster has 24 GPUs of 2 servers, not 16 of 2",
                    "first and other: cluster.servers[0].nic is 7 Gbps, not 5 Gbps",
                    "first and other: cluster.servers[1] is a map of keys, not unset",
                    "first and other: cluster.unmapped is drop, not unset"}));
  EXPECT_EQ(comparison.jobs[0].same, 4U);
}

TEST_F(CompareRuns, BadFoldersAreToldWithTheirPlace) {
  const std::string good = make("good", kJobs, 250);
  const auto error = [&](const std::string& bad) {
    return input_error([&] { (void)compare_runs({good, bad}); });
  };
  const auto starts = [](const std::string& text, const std::string& with) {
    EXPECT_EQ(text.find(with), 0U) << text;
  };
  starts(error(folder.path("none")), folder.path("none/jobs.csv") + ":1:1: ");
  const std::string bad = make("bad", "job_id,gpus,submit_s,jct_s\na,1,0,x\n", 1);
  starts(error(bad), bad + "/jobs.csv:2:7: jct_s is 'x'; expected a number");
  (void)make("bad", "job_id,gpus,submit_s\n", 1);
  starts(error(bad), bad + "/jobs.csv:1:1: has no column 'jct_s'");
  (void)make("bad", kJobs, 1, kScenario, 16, 5);
  EXPECT_NE(error(bad).find("jobs.finished is 5; expected 4, the jobs in jobs.csv beside it"),
            std::string::npos)
      << error(bad);
  (void)make("bad", kJobs, 1, "loading: none\n");
  starts(error(bad), bad + "/scenario.resolved.yaml:1:1: has no key 'cluster'");
  (void)make("bad", kJobs, 1);
  (void)folder.write("bad/summary.json", "{\n  \"makespan_s\": \"long\"\n}\n");
  EXPECT_NE(error(bad).find("bad/summary.json:2:17: makespan_s is 'long'; expected a number"),
            std::string::npos)
      << error(bad);
  EXPECT_NE(error(bad).find("bad/summary.json:1:1: has no jct_s.avg"), std::string::npos)
      << error(bad);
  (void)folder.write("bad/summary.json", "{\n  \"makespan_s\": [1\n");
  starts(error(bad), bad + "/summary.json:");
}

TEST_F(CompareRuns, EveryFormHasTheSameNumbers) {
  const RunComparison comparison = compare_runs(
      {make("first", kJobs, 250),
       make("other", "job_id,gpus,submit_s,jct_s\na,1,0,40\nb,2,0,200\nc,4,10,330\nd,8,20,300\n",
            200)});
  const Json json = Json::parse(comparison_json(comparison));
  EXPECT_EQ(json["runs"][1]["label"], "other");
  EXPECT_EQ(json["metrics"][8]["values"], Json({250.0, 200.0}));
  EXPECT_DOUBLE_EQ(json["metrics"][8]["changes"][1].get<double>(), -0.2);
  EXPECT_TRUE(json["metrics"][29]["values"][0].is_null());
  EXPECT_EQ(json["jobs"][0]["gained"], 2);
  EXPECT_EQ(json["jobs"][0]["most_gained"][0]["job_id"], "d");
  EXPECT_EQ(json["warnings"], Json::array());
  const auto holds = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const std::string csv = comparison_csv(comparison);
  holds(csv, "section,run,name,value,change\n");
  holds(csv, "\nmetrics,other,jct_s.avg,200,-0.2\n");
  holds(csv, "\nmetrics,first,goodput,,\n");
  holds(csv, "\njobs,other,median_change_s,-30,\n");
  holds(csv, "\nmost_gained,other,d,-100,-0.25\n");
  holds(comparison_markdown(comparison), "\n| jct_s.avg | 250.0 s | 200.0 s | -20.0 % |\n");
  const std::string table = comparison_table(comparison);
  holds(table, "\nother            4       2     1     1        -30.0 s\n");
  holds(table, "\nlost    c    300.0 s  330.0 s   +30.0 s\n");
}

}  // namespace
}  // namespace mosim::test
