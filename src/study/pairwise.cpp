#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mosim/study.hpp"
#include "study/models.hpp"

namespace mosim {
namespace {

constexpr std::uint32_t kGpus = 8;  // of a server, and of a job
constexpr std::array<WorkerGroup, 2> kPlace{{{ServerId{0}, 4}, {ServerId{1}, 4}}};

// At phase resolution S depends on how the phases of two jobs lie to each other, and two jobs of
// one model keep what they began with. So the first job starts at this many points of the other's
// iteration in turn, evenly spaced, and runs this many iterations from each.
constexpr int kStarts = 10;
constexpr int kIterations = 100;

Scenario on_two_servers(Scenario scenario) {
  scenario.servers.resize(1);
  scenario.servers[0].count = 2;
  scenario.servers[0].gpus = kGpus;
  return scenario;
}

// S of the first of `profiles` while all of them hold their servers and send.
double factor_of_first(const ClusterSpec& cluster, const ContentionOptions& options,
                       std::span<const JobProfile* const> profiles) {
  ContentionSetting setting{profiles.size(), 0};
  for (const JobProfile* profile : profiles) {
    setting.most_demand_per_gpu =
        std::max(setting.most_demand_per_gpu, intra_demand(profile->demand(), kGpus, 1));
  }
  const auto model = make_contention(options, cluster, setting);
  std::uint32_t next = 0;
  for (const JobProfile* profile : profiles) {
    model->place(JobIndex{next++}, {kPlace, kGpus, profile->demand()});
  }
  for (std::uint32_t job = 0; job < next; ++job) model->start_sending(JobIndex{job});
  return model->factor(JobIndex{0});
}

// Eq. 2.
PairedRun at_factor(const JobProfile& profile, double factor) {
  return {factor, profile.compute_s + profile.network_s * factor};
}

Job job_of(const JobProfile& profile, double iterations, double start_s) {
  Job job;
  job.request.workers = kGpus;
  job.iterations = iterations;
  job.profile = profile;
  job.profile.loading_s = start_s;  // it holds its GPUs and sends nothing until then
  return job;
}

// `row` beside `other` phase by phase. `longest_s`: no iteration of `row` takes longer.
PairedRun by_phases(const ClusterSpec& cluster, const ContentionOptions& options,
                    const PairwiseRow& row, const PairwiseRow& other, double longest_s) {
  const auto queue = policies().make_queue("fifo");
  const auto placement = policies().make_placement("load-balancing");  // gives both jobs kPlace
  PairedRun mean{0, 0};
  for (int start = 0; start < kStarts; ++start) {
    const double start_s = other.alone.iteration_s * start / kStarts;
    // The other has to last longer, so that no iteration is counted that ran alone.
    const double others =
        std::ceil((start_s + kIterations * longest_s) / other.alone.iteration_s) + 1;
    const std::array<Job, 2> jobs{job_of(row.profile, kIterations, start_s),
                                  job_of(other.profile, others, 0)};
    const JobResult first = simulate(cluster, jobs, queue, *placement, {options, {}}).jobs.front();
    mean.factor += first.mean_contention / kStarts;
    mean.iteration_s += (first.compute_s + first.network_s) / first.iterations / kStarts;
  }
  return mean;
}

void fill(PairwiseMatrix& matrix, const ContentionOptions& options) {
  const ClusterSpec cluster{{matrix.servers}};
  const bool phases =
      options.kind == ContentionKind::mosim && options.resolution == Resolution::phase;
  for (PairwiseRow& row : matrix.rows) {
    const std::array<const JobProfile*, 1> alone{&row.profile};
    row.alone = at_factor(row.profile, factor_of_first(cluster, options, alone));
  }
  for (PairwiseRow& row : matrix.rows) {
    for (const PairwiseRow& other : matrix.rows) {
      const std::array<const JobProfile*, 2> both{&row.profile, &other.profile};
      const PairedRun always = at_factor(row.profile, factor_of_first(cluster, options, both));
      row.beside.push_back(phases ? by_phases(cluster, options, row, other, always.iteration_s)
                                  : always);
    }
  }
}

}  // namespace

PairwiseMatrix pairwise(const Scenario& scenario, const std::vector<std::string>& models) {
  const Scenario two_servers = on_two_servers(scenario);
  const ModelPool pool = read_pool(scenario.workloads_pool);
  const auto source = make_profiles(two_servers, pool);
  PairwiseMatrix matrix;
  matrix.servers = two_servers.servers[0];
  matrix.contention = scenario.contention_model;
  if (scenario.contention_model == "mosim") {
    matrix.contention += ", resolution " + scenario.contention_resolution;
  }
  for (const ModelConfig& model : chosen_models(pool, models)) {
    if (const auto profile = source->find(model.name, kGpus)) {
      matrix.rows.push_back({model.name, *profile, {}, {}});
    } else {
      matrix.refused.push_back(fmt::format("{} on {} GPUs: expected {}", model.name, kGpus,
                                           source->expected(model.name)));
    }
  }
  if (matrix.rows.empty()) {
    throw InputError({"--models", {}}, fmt::format("no model has a profile on {} GPUs", kGpus),
                     "at least one");
  }
  fill(matrix, contention_options(scenario));
  return matrix;
}

Range range_over_partners(const PairwiseRow& row, PairMeasure measure) {
  std::vector<double> values;
  values.reserve(row.beside.size());
  for (std::size_t partner = 0; partner < row.beside.size(); ++partner) {
    values.push_back((row.*measure)(partner));
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, mean(values), *most};
}

Range range_over_pairs(const PairwiseMatrix& matrix, PairMeasure measure) {
  Range all = range_over_partners(matrix.rows.front(), measure);
  all.mean = 0;
  for (const PairwiseRow& row : matrix.rows) {
    const Range range = range_over_partners(row, measure);
    all.min = std::min(all.min, range.min);
    all.max = std::max(all.max, range.max);
    all.mean += range.mean / static_cast<double>(matrix.rows.size());
  }
  return all;
}

}  // namespace mosim
