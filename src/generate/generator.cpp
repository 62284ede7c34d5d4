#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/fixed_math.hpp"
#include "base/random.hpp"
#include "generate/samplers.hpp"
#include "mosim/generate.hpp"
#include "trace/mosim_csv.hpp"

namespace mosim {
namespace {

template <typename Item>
WeightedChoice choice_of(const std::vector<Item>& items) {
  std::vector<double> weights;
  weights.reserve(items.size());
  for (const Item& item : items) weights.push_back(item.weight);
  return WeightedChoice(weights);
}

// One of some names, from random streams of its own.
class NameChoice {
 public:
  NameChoice(const std::vector<WeightedName>& names, std::uint64_t seed, std::string_view purpose)
      : names_(names), choice_(choice_of(names)), streams_(seed, purpose) {}

  void draw(std::uint64_t job, std::string& name) const {
    if (!choice_.empty()) name = names_[choice_.at(streams_.at(job).uniform())].name;
  }

 private:
  std::vector<WeightedName> names_;
  WeightedChoice choice_;
  RandomStreams streams_;
};

std::vector<JobStatus> statuses_of(const std::vector<WeightedName>& names) {
  std::vector<JobStatus> statuses;
  for (const WeightedName& one : names) {
    std::size_t status = 0;
    while (status < kJobStatuses && status_name(static_cast<JobStatus>(status)) != one.name) {
      ++status;
    }
    if (status == kJobStatuses) throw std::invalid_argument("unknown status: " + one.name);
    statuses.push_back(static_cast<JobStatus>(status));
  }
  return statuses;
}

void check(const GeneratorSpec& spec) {
  const auto refuse = [](const char* what, const char* expected) {
    throw InputError({"generator", {}}, what, expected);
  };
  if (!(spec.arrivals.rate_per_s > 0)) refuse("has no rate of arrivals", "a rate above 0");
  if (!spec.population.empty()) return;
  if (choice_of(spec.gpus).empty()) refuse("has no numbers of GPUs", "one with a weight above 0");
  if (!DurationSampler(spec.durations).possible()) {
    refuse("has no durations between their limits", "limits that the law reaches");
  }
}

// The columns that any job of the specification may need.
MosimColumns columns_of(const GeneratorSpec& spec) {
  MosimColumns columns{.optional = 0};
  for (const TraceJob& job : spec.population) add_columns_of(job, columns);
  TraceJob job;
  job.gpus_per_worker = spec.gpus_per_worker;
  job.cpus_per_worker = spec.cpus_per_worker;
  if (!spec.users.empty()) job.user = "any";
  if (!spec.virtual_clusters.empty()) job.virtual_cluster = "any";
  if (!spec.statuses.empty()) job.status = JobStatus::completed;
  add_columns_of(job, columns);
  return columns;
}

}  // namespace

struct TraceGenerator::Parts {
  explicit Parts(GeneratorSpec from)
      : spec(std::move(from)),
        gaps(spec.arrivals.variation),
        clock(spec.arrivals),
        gpus(choice_of(spec.gpus)),
        durations(spec.durations),
        models(spec.models, spec.seed, "generate models"),
        users(spec.users, spec.seed, "generate users"),
        virtual_clusters(spec.virtual_clusters, spec.seed, "generate virtual clusters"),
        statuses(statuses_of(spec.statuses)),
        status_choice(choice_of(spec.statuses)),
        jitter_log(fixed_log(1 + spec.jitter)) {}

  void arrive(TraceJob& job);
  void draw(TraceJob& job) const;
  void draw_from_population(TraceJob& job) const;

  GeneratorSpec spec;
  GapSampler gaps;
  WeekClock clock;
  WeightedChoice gpus;
  DurationSampler durations;
  NameChoice models, users, virtual_clusters;
  std::vector<JobStatus> statuses;
  WeightedChoice status_choice;
  double jitter_log;
  RandomStreams arrival_streams{spec.seed, "generate arrivals"};
  RandomStreams gpu_streams{spec.seed, "generate gpus"};
  RandomStreams duration_streams{spec.seed, "generate durations"};
  RandomStreams status_streams{spec.seed, "generate statuses"};
  RandomStreams population_streams{spec.seed, "generate population"};

  std::uint64_t index = 0;  // of the next job
  double expected = 0;      // submissions until the last job: the sum of the gaps
  double last_s = 0;
};

void TraceGenerator::Parts::arrive(TraceJob& job) {
  RandomStream random = arrival_streams.at(index);
  const double choice = random.uniform();
  expected += gaps.at(choice, random.uniform());
  const double time_s = to_milliseconds(clock.time_of(expected));
  if (!(time_s <= kLongestTime_s)) {
    throw InputError({"generator", {}},
                     fmt::format("job {} would be submitted after {} s", index, kLongestTime_s),
                     "fewer jobs or a higher rate");
  }
  // At the end of an hour, rounding could put a job before the one that precedes it.
  last_s = std::max(last_s, time_s);
  job.submit_s = last_s;
}

void TraceGenerator::Parts::draw(TraceJob& job) const {
  const std::uint32_t count = spec.gpus[gpus.at(gpu_streams.at(index).uniform())].count;
  job.gpus_per_worker = std::min(count, spec.gpus_per_worker);
  job.workers = count / job.gpus_per_worker;
  job.cpus_per_worker = spec.cpus_per_worker;
  job.duration_s = durations.at(duration_streams.at(index).uniform());
  models.draw(index, job.model);
  users.draw(index, job.user);
  virtual_clusters.draw(index, job.virtual_cluster);
  if (!status_choice.empty()) {
    job.status = statuses[status_choice.at(status_streams.at(index).uniform())];
  }
}

void TraceGenerator::Parts::draw_from_population(TraceJob& job) const {
  RandomStream random = population_streams.at(index);
  const TraceJob& drawn = spec.population[random.below(spec.population.size())];
  const double submit_s = job.submit_s;
  job = drawn;
  job.submit_s = submit_s;
  if (job.deadline_s) *job.deadline_s += submit_s - drawn.submit_s;
  if (spec.jitter <= 0) return;
  const double factor = fixed_exp(jitter_log * (2 * random.uniform() - 1));
  job.duration_s = to_milliseconds(job.duration_s * factor);
  if (job.estimate_s) job.estimate_s = to_milliseconds(*job.estimate_s * factor);
  if (job.iterations) job.iterations = std::max(1.0, std::floor(*job.iterations * factor + 0.5));
}

TraceGenerator::TraceGenerator(GeneratorSpec spec) {
  check(spec);
  parts_ = std::make_unique<Parts>(std::move(spec));
}

TraceGenerator::TraceGenerator(TraceGenerator&&) noexcept = default;
TraceGenerator& TraceGenerator::operator=(TraceGenerator&&) noexcept = default;
TraceGenerator::~TraceGenerator() = default;

bool TraceGenerator::next(TraceJob& job) {
  Parts& parts = *parts_;
  if (parts.index == parts.spec.jobs) return false;
  parts.arrive(job);
  if (parts.spec.population.empty()) {
    parts.draw(job);
  } else {
    parts.draw_from_population(job);
  }
  const fmt::format_int id(parts.index);
  job.id.assign(id.data(), id.size());
  ++parts.index;
  return true;
}

void generate_trace(const GeneratorSpec& spec, const std::function<void(std::string_view)>& write) {
  constexpr std::size_t kPiece = 1U << 18;
  const MosimColumns columns = columns_of(spec);
  TraceGenerator generator(spec);
  std::string text;
  text.reserve(kPiece + 4096);
  append_mosim_header(text, columns);
  TraceJob job;
  while (generator.next(job)) {
    append_mosim_row(text, job, columns);
    if (text.size() < kPiece) continue;
    write(text);
    text.clear();
  }
  write(text);
}

}  // namespace mosim
