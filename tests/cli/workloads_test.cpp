// The keys of the section workloads, in a run.
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace mosim::test {
namespace {

const std::string kTrace =
    "job_id,model,arrival_time,duration,gpu_workers\n"
    "a,,0,600,1\nb,,0,600,4\nc,resnot,0,600,1\n";

TEST(Workloads, RulesChooseTheModelsOfARun) {
  const TemporaryFolder folder;
  folder.write("trace.csv", kTrace);
  folder.write("rules.yaml",
               "weights: {alexnet: 1}\nrules: [{when: {min_gpus: 4}, draw: {vgg16: 1}}]\n");
  const std::string scenario =
      folder.write("s.yaml",
                   "trace: {file: trace.csv}\n"
                   "workloads: {rules: rules.yaml, on_unknown_model: draw}\n");
  const CommandResult result = run_mosim("run -q " + scenario + " -o " + folder.path("out"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string jobs = read_text(folder.path("out/jobs.csv"));
  EXPECT_NE(jobs.find("\na,alexnet,"), std::string::npos) << jobs;
  EXPECT_NE(jobs.find("\nb,vgg16,"), std::string::npos) << jobs;
  EXPECT_NE(jobs.find("\nc,alexnet,"), std::string::npos) << jobs;
  const CommandResult again = run_mosim("run -q " + folder.path("out/scenario.resolved.yaml") +
                                        " -o " + folder.path("again"));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(read_text(folder.path("again/summary.json")),
            read_text(folder.path("out/summary.json")));
}

TEST(Workloads, AModelThatNobodyKnowsIsRefusedByDefault) {
  const TemporaryFolder folder;
  const CommandResult result = run_mosim("run -q --trace " + folder.write("trace.csv", kTrace) +
                                         " -o " + folder.path("out"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("resnot"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
}

}  // namespace
}  // namespace mosim::test
