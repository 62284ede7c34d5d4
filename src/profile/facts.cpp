// What schedulers are told of jobs.
#include <algorithm>
#include <map>
#include <string>

#include "base/fixed_math.hpp"
#include "base/random.hpp"
#include "mosim/profile.hpp"

namespace mosim {
namespace {

constexpr double kGradientBytes = 4;  // of a parameter: fp32

// Numbers names in the order in which they come.
class Names {
 public:
  std::uint32_t number(const std::string& name) {
    const auto next = static_cast<std::uint32_t>(numbers_.size());
    return numbers_.try_emplace(name, next).first->second;
  }

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

// What is known of a model that jobs are of.
struct ModelFacts {
  bool in_pool = false;
  double parameters = 0;  // 0: not known
  double skew = 0;
};

ModelFacts facts_of(const ModelConfig* model) {
  if (model == nullptr) return {};
  const double parameters = model->graph.parameters();
  if (parameters <= 0) return {};
  return {true, parameters, model->graph.largest_tensor() / parameters};
}

// M of the 2(N-1)/N M bytes that each of N workers of a plain ring sends; 0 for other jobs.
double gradients_of(const Job& job) {
  const auto workers = static_cast<double>(job.request.gpus());
  if (job.profile.traffic != nullptr || workers < 2) return 0;
  return job.profile.volume * workers / (2 * (workers - 1));
}

// By number of the model.
std::vector<ModelFacts> models_of(std::span<const Job> jobs, const Trace& trace,
                                  const ModelPool& pool) {
  std::vector<ModelFacts> models;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::uint32_t number = jobs[i].facts.model;
    if (number == models.size()) models.push_back(facts_of(pool.find(trace.jobs[i].model)));
    ModelFacts& model = models[number];
    if (!model.in_pool) {
      model.parameters = std::max(model.parameters, gradients_of(jobs[i]) / kGradientBytes);
    }
  }
  return models;
}

double estimate(const TraceJob& job, double solo_s, const FactOptions& options) {
  if (job.estimate_s) return *job.estimate_s;
  double estimate_s = solo_s * options.estimate_factor;
  if (options.estimate_spread > 0) {
    RandomStream random(options.seed, "estimate/" + job.id);
    estimate_s *= fixed_exp(options.estimate_spread * normal_quantile(random.uniform()));
  }
  return estimate_s;
}

}  // namespace

std::vector<std::string> add_facts(std::span<Job> jobs, const Trace& trace, const ModelPool& pool,
                                   const FactOptions& options) {
  Names users;
  Names groups;
  Names models;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job& job = jobs[i];
    const TraceJob& from = trace.jobs[i];
    const double solo_s = job.loading_s(job.profile) + job.iterations * job.profile.iteration_s();
    job.facts.user = users.number(from.user);
    job.facts.group = groups.number(from.virtual_cluster);
    job.facts.model = models.number(from.model);
    job.facts.priority = from.priority.value_or(0);
    job.facts.estimate_s = estimate(from, solo_s, options);
    if (from.deadline_s) {
      job.facts.deadline_s = *from.deadline_s;
    } else if (options.deadline_factor > 0) {
      job.facts.deadline_s = from.submit_s + options.deadline_factor * solo_s;
    }
  }
  const std::vector<ModelFacts> known = models_of(jobs, trace, pool);
  std::vector<bool> told(known.size());
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    JobFacts& facts = jobs[i].facts;
    const ModelFacts& model = known[facts.model];
    facts.skew = model.skew;
    facts.checkpoint_bytes = model.parameters * options.bytes_per_parameter;
    if (model.parameters > 0 || told[facts.model]) continue;
    told[facts.model] = true;
    unknown.push_back(trace.jobs[i].model);
  }
  return unknown;
}

}  // namespace mosim
