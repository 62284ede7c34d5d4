// Which model a job gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "mosim/workload.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

const ModelPool& bundled() {
  static const ModelPool pool = read_pool("default");
  return pool;
}

TraceJob job(const std::string& id, std::uint32_t workers = 1, double duration_s = 60) {
  TraceJob job;
  job.id = id;
  job.workers = workers;
  job.duration_s = duration_s;
  return job;
}

Trace many_jobs(std::size_t count) {
  Trace trace;
  for (std::size_t i = 0; i < count; ++i) trace.jobs.push_back(job("j" + std::to_string(i)));
  return trace;
}

std::map<std::string, std::string> models_by_id(Trace trace, const DrawRules& rules,
                                                std::uint64_t seed = 1) {
  augment(trace, bundled(), rules, {.seed = seed});
  std::map<std::string, std::string> models;
  for (const TraceJob& done : trace.jobs) models[done.id] = done.model;
  return models;
}

// The only model that a job can draw.
std::string model_of(const TraceJob& alone, const DrawRules& rules) {
  Trace trace;
  trace.jobs = {alone};
  augment(trace, bundled(), rules, {});
  return trace.jobs[0].model;
}

class Rules : public ::testing::Test {
 protected:
  DrawRules read(const std::string& content) {
    return read_draw_rules(folder_.write("rules.yaml", content), bundled());
  }

  void refused(const std::string& content, const std::string& part) {
    try {
      (void)read(content);
      ADD_FAILURE() << "accepted:\n" << content;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }

 private:
  test::TemporaryFolder folder_;
};

TEST(Augment, DrawsWithTheSeed) {
  const DrawRules rules = default_draw(bundled());
  const auto one = models_by_id(many_jobs(200), rules, 1);
  EXPECT_EQ(one, models_by_id(many_jobs(200), rules, 1));
  EXPECT_NE(one, models_by_id(many_jobs(200), rules, 2));
}

// 12000 draws of 12 models, 1000 of each expected, with a standard deviation of
// sqrt(12000 x 1/12 x 11/12) = 30.3: five of them on each side.
TEST(Augment, TheDefaultIsUniform) {
  std::map<std::string, int> count;
  for (const auto& [id, model] : models_by_id(many_jobs(12000), default_draw(bundled()))) {
    ++count[model];
  }
  EXPECT_EQ(count.size(), 12U);
  for (const auto& [model, times] : count) EXPECT_NEAR(times, 1000, 152) << model;
}

TEST(Augment, OtherJobsDoNotMatter) {
  const DrawRules rules = default_draw(bundled());
  const auto all = models_by_id(many_jobs(100), rules);
  Trace some = many_jobs(100);
  std::reverse(some.jobs.begin(), some.jobs.end());
  some.jobs.erase(some.jobs.begin() + 10, some.jobs.begin() + 40);
  some.jobs.insert(some.jobs.begin(), job("new"));
  some.jobs[20].model = "bert";  // one that draws no more
  const std::string named = some.jobs[20].id;
  const auto fewer = models_by_id(some, rules);
  EXPECT_EQ(fewer.size(), 71U);
  for (const auto& [id, model] : fewer) {
    if (id == "new" || id == named) continue;
    EXPECT_EQ(model, all.at(id)) << id;
  }
}

TEST(Augment, ModelsThatThePoolLacksArePassedOnOrDrawn) {
  Trace trace = many_jobs(3);
  trace.jobs[0].model = "workload_14";
  trace.jobs[1].model = "a-model-of-mine";
  const DrawRules rules{.weights = {{"gpt2", 1}}};
  Trace passed = trace;
  augment(passed, bundled(), rules, {});
  EXPECT_EQ(passed.jobs[0].model, "resnet50");
  EXPECT_EQ(passed.jobs[1].model, "a-model-of-mine");
  augment(trace, bundled(), rules, {.unknown = UnknownModel::draw});
  EXPECT_EQ(trace.jobs[0].model, "resnet50");
  EXPECT_EQ(trace.jobs[1].model, "gpt2");
}

TEST(Augment, NothingToDrawFromIsRefused) {
  Trace trace = many_jobs(1);
  EXPECT_THROW(augment(trace, bundled(), {}, {}), InputError);
}

// 4000 draws at 3 : 1. The standard deviation of each is sqrt(4000 x 3/4 x 1/4) = 27.4; five of
// them on each side.
TEST_F(Rules, WeightsAreHowOftenAModelIsDrawn) {
  const DrawRules rules = read("weights: {bert: 3, workload_14: 1, vgg16: 0}\n");
  std::map<std::string, int> count;
  for (const auto& [id, model] : models_by_id(many_jobs(4000), rules)) ++count[model];
  EXPECT_EQ(count.size(), 2U);
  EXPECT_NEAR(count["bert"], 3000, 137);
  EXPECT_NEAR(count["resnet50"], 1000, 137);
}

TEST_F(Rules, TheFirstThatIsForTheJobDecides) {
  const DrawRules rules = read(R"(
weights: {alexnet: 1}
rules:
  - {when: {min_gpus: 8, max_gpus: 64}, draw: {gpt2: 1}}
  - {when: {min_gpus: 4, min_duration: 2h}, draw: {bert: 1}}
  - {when: {min_gpus: 4, max_duration: 1min}, draw: {vgg16: 1}}
  - {when: {virtual_cluster: [a, b], user: u1}, draw: {resnet50: 1}}
  - {when: {gpu_type: T4}, draw: {googlenet: 1}}
)");
  EXPECT_EQ(model_of(job("x", 8, 7200), rules), "gpt2");  // the second holds too
  EXPECT_EQ(model_of(job("x", 64, 1), rules), "gpt2");
  EXPECT_EQ(model_of(job("x", 65, 7200), rules), "bert");
  EXPECT_EQ(model_of(job("x", 4, 7199), rules), "alexnet");
  EXPECT_EQ(model_of(job("x", 4, 60), rules), "vgg16");
  EXPECT_EQ(model_of(job("x", 3, 60), rules), "alexnet");
  TraceJob owned = job("x");
  owned.virtual_cluster = "b";
  EXPECT_EQ(model_of(owned, rules), "alexnet");
  owned.user = "u1";
  EXPECT_EQ(model_of(owned, rules), "resnet50");
  owned.virtual_cluster = "c";
  owned.gpu_type = "T4";
  EXPECT_EQ(model_of(owned, rules), "googlenet");
}

TEST_F(Rules, ADurationThatIsNotKnownIsInNoRange) {
  const DrawRules rules =
      read("weights: {alexnet: 1}\nrules: [{when: {max_duration: 1h}, draw: {bert: 1}}]\n");
  TraceJob open = job("x", 1, 0);
  EXPECT_EQ(model_of(open, rules), "bert");
  open.duration_known = false;
  EXPECT_EQ(model_of(open, rules), "alexnet");
}

TEST_F(Rules, GpusPerWorkerCount) {
  const DrawRules rules =
      read("weights: {alexnet: 1}\nrules: [{when: {min_gpus: 8}, draw: {bert: 1}}]\n");
  TraceJob wide = job("x", 2);
  EXPECT_EQ(model_of(wide, rules), "alexnet");
  wide.gpus_per_worker = 4;
  EXPECT_EQ(model_of(wide, rules), "bert");
}

TEST_F(Rules, WithoutWeightsThePoolIsDrawnFrom) {
  EXPECT_EQ(read("rules: []\n").weights.size(), 12U);
}

TEST_F(Rules, MistakesAreToldWithTheirPlace) {
  refused("weights: {bret: 1}\n", "rules.yaml:1:11: the pool has no model 'bret'");
  refused("weights: {bret: 1}\n", "nearest: 'bert'");
  refused("weights: {bert: -1}\n", ":1:17: bert is '-1'");
  refused("weights: {bert: 0}\n", "has no weight above 0");
  refused("weights: {bert: 1, workload_02: 1}\n", "'workload_02' is bert again");
  refused("weights: [bert]\n", "expected weights of models");
  refused("weight: {bert: 1}\n", "unknown key 'weight'");
  refused("rules: {a: b}\n", "rules is a map of keys; expected a list");
  refused("rules: [{draw: {bert: 1}}]\n", "has no key 'when'");
  refused("rules: [{when: {}}]\n", "has no key 'draw'");
  refused("rules: [{when: {min_gpu: 1}, draw: {bert: 1}}]\n", "nearest: 'min_gpus'");
  refused("rules: [{when: {min_gpus: 1.5}, draw: {bert: 1}}]\n", ":1:27: min_gpus is '1.5'");
  refused("rules: [{when: {min_duration: 5}, draw: {bert: 1}}]\n", "'5' has no unit");
  refused("rules: [{when: {min_gpus: 9, max_gpus: 8}, draw: {bert: 1}}]\n", "holds for no job");
}

}  // namespace
}  // namespace mosim
