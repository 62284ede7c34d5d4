// Synthetic traces: drawn from distributions, or from the jobs of another trace.
//
// A trace is a pure function of its specification and seed, the same on every machine. Each job
// draws from random streams of its own, so job i does not depend on how many jobs follow it, and
// another distribution of durations leaves arrivals and GPUs as they were. docs/traces.md has the
// form of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mosim/trace.hpp"

namespace mosim {

inline constexpr std::size_t kWeekHours = 168;

// When jobs come: gaps that are independent and equally distributed, on a clock that runs as fast
// as the rate of the hour says.
struct ArrivalSpec {
  double rate_per_s = 0;  // the mean over whole weeks
  // Coefficient of variation of the gaps. 1: exponential gaps, a Poisson process. Above 1: bursts,
  // by hyper-exponential gaps.
  double variation = 1;
  // Relative rate in each hour of the week, from Monday 00:00; empty: the same in all.
  std::vector<double> week = {};
  double start_s = 0;  // time 0, counted from Monday 00:00
};

enum class DurationLaw : std::uint8_t {
  constant,     // value_s
  uniform,      // between min_s and max_s
  log_uniform,  // the logarithm is uniform
  exponential,  // value_s is the mean
  log_normal,   // value_s is the median, shape the standard deviation of the logarithm
  weibull,      // value_s is the scale
  empirical,    // percentiles
};

// "log-normal", ...
[[nodiscard]] std::string_view duration_law_name(DurationLaw law);

inline constexpr std::size_t kDurationLaws = 7;

struct Percentile {
  double percent = 0;
  double value_s = 0;
};

// How long jobs run. A law that reaches beyond min_s and max_s is cut off there: what lies between
// keeps its proportions.
struct DurationSpec {
  DurationLaw law = DurationLaw::constant;
  double value_s = 0;
  double shape = 0;
  double min_s = 0.001;
  double max_s = kLongestTime_s;
  // From 0 to 100; the logarithm is interpolated linearly, or the value where one end is 0.
  std::vector<Percentile> percentiles = {};
};

struct WeightedCount {
  std::uint32_t count = 0;
  double weight = 0;
};

struct WeightedName {
  std::string name;
  double weight = 0;
};

struct GeneratorSpec {
  std::uint64_t jobs = 1000;
  std::uint64_t seed = 1;
  ArrivalSpec arrivals;
  DurationSpec durations = {};
  std::vector<WeightedCount> gpus = {};
  std::uint32_t gpus_per_worker = 1;  // a job of fewer GPUs is one worker
  std::uint32_t cpus_per_worker = 0;  // 0: not said
  // Empty: the trace does not say.
  std::vector<WeightedName> models = {};
  std::vector<WeightedName> users = {};
  std::vector<WeightedName> virtual_clusters = {};
  std::vector<WeightedName> statuses = {};
  // When not empty, jobs are drawn from here with replacement and keep all but their id and times
  // of submission and start; only `jobs`, `seed`, `arrivals` and `jitter` count then.
  std::vector<TraceJob> population = {};
  double jitter = 0;  // durations of such jobs times a factor from 1/(1 + jitter) to 1 + jitter
};

// Reads a specification from a YAML file, or a preset by `bundled:generators/NAME.yaml`. Throws
// InputError.
[[nodiscard]] GeneratorSpec read_generator(const std::string& file);

// The names of the presets.
[[nodiscard]] std::vector<std::string> generator_presets();

// The specification as a file that `read_generator` reads back; without the population.
[[nodiscard]] std::string generator_yaml(const GeneratorSpec& spec);

// Draws the jobs one after another, in order of submission.
class TraceGenerator {
 public:
  // Throws InputError when the specification has no jobs to draw from.
  explicit TraceGenerator(GeneratorSpec spec);
  TraceGenerator(TraceGenerator&&) noexcept;
  TraceGenerator& operator=(TraceGenerator&&) noexcept;
  ~TraceGenerator();

  // False after the last job. Throws InputError when a job would come after kLongestTime_s.
  bool next(TraceJob& job);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The trace in the `mosim` format, handed to `write` in pieces of about 256 KiB.
void generate_trace(const GeneratorSpec& spec, const std::function<void(std::string_view)>& write);

// What a trace looks like to a generator.
struct TraceFit {
  // Arrivals by hour of the week (of the day below a week, none below a day), GPUs as counted,
  // durations by percentiles.
  GeneratorSpec spec;
  std::string trace;
  std::uint64_t jobs = 0;
  double span_s = 0;         // from the first submission to the last
  double gap_variation = 0;  // of the gaps as they are; spec.arrivals has it on the hours' clock
  // The log-normal law with the mean and standard deviation of the durations' logarithms, zeros
  // left out, and its Kolmogorov-Smirnov distance from the durations.
  DurationSpec log_normal = {};
  double log_normal_distance = 0;
};

// Throws InputError for fewer than two jobs with a known duration, or no two submission times.
[[nodiscard]] TraceFit fit(const Trace& trace);

// A generator that draws whole jobs of the trace, whose known durations they keep. They come by the
// trace's rate in each hour of the week, as a Poisson process within the hour.
[[nodiscard]] GeneratorSpec like(const Trace& trace);

// The fit in a few lines for people.
[[nodiscard]] std::string describe_fit(const TraceFit& fit);

}  // namespace mosim
