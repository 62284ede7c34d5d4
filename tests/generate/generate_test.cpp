// What is drawn: with fixed seeds, so that a bound holds or fails for good.
#include "mosim/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace mosim {
namespace {

GeneratorSpec plain_spec(std::uint64_t jobs) {
  GeneratorSpec spec;
  spec.jobs = jobs;
  spec.arrivals.rate_per_s = 0.01;
  spec.gpus = {{1, 1}, {8, 3}};
  spec.durations = {.law = DurationLaw::exponential, .value_s = 1000};
  return spec;
}

std::vector<TraceJob> draw(const GeneratorSpec& spec) {
  TraceGenerator generator(spec);
  std::vector<TraceJob> jobs;
  TraceJob job;
  while (generator.next(job)) jobs.push_back(job);
  return jobs;
}

// The largest gap between the durations and a law.
double ks_of(DurationSpec durations, const std::function<double(double)>& cdf) {
  GeneratorSpec spec = plain_spec(20000);
  spec.durations = std::move(durations);
  std::vector<double> values;
  for (const TraceJob& job : draw(spec)) values.push_back(job.duration_s);
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto rank = static_cast<double>(i);
    const double below = cdf(values[i]);
    largest = std::max({largest, (rank + 1) / count - below, below - rank / count});
  }
  return largest;
}

// A right law exceeds this once in 1,000 seeds: 1.95 / sqrt(20000).
constexpr double kKs = 0.0138;

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

TEST(Durations, FollowTheirLaws) {
  EXPECT_LT(ks_of({.law = DurationLaw::uniform, .min_s = 100, .max_s = 300},
                  [](double x) { return (x - 100) / 200; }),
            kKs);
  EXPECT_LT(ks_of({.law = DurationLaw::log_uniform, .min_s = 10, .max_s = 1000},
                  [](double x) { return std::log(x / 10) / std::log(100); }),
            kKs);
  EXPECT_LT(ks_of({.law = DurationLaw::exponential, .value_s = 500},
                  [](double x) { return 1 - std::exp(-x / 500); }),
            kKs);
  EXPECT_LT(ks_of({.law = DurationLaw::log_normal, .value_s = 900, .shape = 2},
                  [](double x) { return normal_cdf(std::log(x / 900) / 2); }),
            kKs);
  EXPECT_LT(ks_of({.law = DurationLaw::weibull, .value_s = 900, .shape = 0.5},
                  [](double x) { return 1 - std::exp(-std::sqrt(x / 900)); }),
            kKs);
}

TEST(Durations, LimitsCutALawOffAndKeepItsProportions) {
  const auto whole = [](double x) { return 1 - std::exp(-x / 500); };
  EXPECT_LT(ks_of({.law = DurationLaw::exponential, .value_s = 500, .min_s = 100, .max_s = 600},
                  [&](double x) { return (whole(x) - whole(100)) / (whole(600) - whole(100)); }),
            kKs);
}

TEST(Durations, PercentilesAreInterpolated) {
  // Half below 100, linear from 0; half from 100 to 10,000, linear in the logarithm.
  EXPECT_LT(ks_of({.law = DurationLaw::empirical,
                   .min_s = 0,
                   .percentiles = {{0, 0}, {50, 100}, {100, 10000}}},
                  [](double x) {
                    return x < 100 ? x / 200 : 0.5 + 0.5 * std::log(x / 100) / std::log(100);
                  }),
            kKs);
}

TEST(Gpus, CountsHaveTheOddsOfTheirWeights) {
  const std::vector<TraceJob> jobs = draw(plain_spec(20000));
  const auto eights =
      std::count_if(jobs.begin(), jobs.end(), [](const TraceJob& job) { return job.workers == 8; });
  EXPECT_NEAR(static_cast<double>(eights), 15000, 4 * std::sqrt(20000 * 0.25 * 0.75));
}

TEST(Gpus, WorkersHaveSeveral) {
  GeneratorSpec spec = plain_spec(50);
  spec.gpus = {{2, 1}, {16, 1}};
  spec.gpus_per_worker = 8;
  for (const TraceJob& job : draw(spec)) {
    EXPECT_EQ(job.gpus_per_worker, job.gpus() == 2 ? 2U : 8U);
    EXPECT_EQ(job.workers, job.gpus() == 2 ? 1U : 2U);
  }
}

struct Gaps {
  double mean = 0;
  double variation = 0;
};

Gaps gaps_of(const std::vector<TraceJob>& jobs) {
  double sum = 0;
  double squares = 0;
  double last = 0;
  for (const TraceJob& job : jobs) {
    const double gap = job.submit_s - last;
    sum += gap;
    squares += gap * gap;
    last = job.submit_s;
  }
  const auto count = static_cast<double>(jobs.size());
  const double mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean) / mean};
}

TEST(Arrivals, PoissonGapsHaveTheirMeanAndAVariationOfOne) {
  const Gaps gaps = gaps_of(draw(plain_spec(40000)));
  EXPECT_NEAR(gaps.mean, 100, 2);  // 4 standard errors of 100 / sqrt(40000)
  EXPECT_NEAR(gaps.variation, 1, 0.03);
}

TEST(Arrivals, BurstsHaveTheVariationAsked) {
  GeneratorSpec spec = plain_spec(200000);
  spec.arrivals.variation = 3;
  const Gaps gaps = gaps_of(draw(spec));
  EXPECT_NEAR(gaps.mean, 100, 2.7);  // 4 standard errors: 300 / sqrt(200000)
  EXPECT_NEAR(gaps.variation, 3, 0.1);
}

TEST(Arrivals, HoursOfTheWeekHaveTheirShare) {
  GeneratorSpec spec = plain_spec(100000);
  spec.arrivals.week.assign(kWeekHours, 1);
  spec.arrivals.week[0] = 10;  // Monday, the first hour
  spec.arrivals.week[1] = 0;
  spec.arrivals.start_s = 6 * 86400;  // time 0 is Sunday 00:00
  std::vector<double> counts(kWeekHours, 0);
  const std::vector<TraceJob> jobs = draw(spec);
  for (const TraceJob& job : jobs) {
    const auto hour = static_cast<std::size_t>((job.submit_s + 6 * 86400) / 3600);
    ++counts[hour % kWeekHours];
  }
  // 16.5 weeks: 100000 / 176 jobs for a relative rate of 1, but for the part of the last week.
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[0] / counts[2], 10, 1.5);
  EXPECT_NEAR(counts[0] + counts[2] + counts[3], 12 * 100000.0 / 176, 500);
  EXPECT_NEAR(jobs.back().submit_s, 1e7, 1.6e5);  // the mean rate is that of the week
  EXPECT_TRUE(std::is_sorted(jobs.begin(), jobs.end(),
                             [](const auto& a, const auto& b) { return a.submit_s < b.submit_s; }));
}

TEST(Generator, AJobDoesNotDependOnHowManyFollowNorOnOtherLaws) {
  const std::vector<TraceJob> few = draw(plain_spec(10));
  GeneratorSpec other = plain_spec(1000);
  other.durations = {.law = DurationLaw::constant, .value_s = 5};
  other.users = {{"a", 1}, {"b", 1}};
  const std::vector<TraceJob> many = draw(plain_spec(1000));
  const std::vector<TraceJob> changed = draw(other);
  for (std::size_t job = 0; job < few.size(); ++job) {
    EXPECT_EQ(few[job].submit_s, many[job].submit_s);
    EXPECT_EQ(few[job].duration_s, many[job].duration_s);
    EXPECT_EQ(few[job].workers, changed[job].workers);
    EXPECT_EQ(few[job].submit_s, changed[job].submit_s);
    EXPECT_EQ(changed[job].duration_s, 5);
  }
}

TEST(Generator, TheSameSeedGivesTheSameBytesEverywhere) {
  GeneratorSpec spec = read_generator("bundled:generators/philly-like.yaml");
  spec.jobs = 4;
  spec.seed = 7;
  spec.arrivals.variation = 2;
  spec.users = {{"ann", 1}, {"bob, jr", 1}};
  spec.statuses = {{"completed", 1}, {"failed", 1}};
  std::string text;
  generate_trace(spec, [&](std::string_view piece) { text += piece; });
  // Worked out apart from this code, with integers of any size and 30 digits.
  EXPECT_EQ(text,
            "job_id,model,arrival_time,duration,gpu_workers,status,user\n"
            "0,,33.495,154.532,1,failed,\"bob, jr\"\n"
            "1,,455.577,14890.214,1,failed,ann\n"
            "2,,647.14,4002.66,1,completed,ann\n"
            "3,,831.59,116.651,1,completed,ann\n");
  spec.seed = 8;
  std::string other;
  generate_trace(spec, [&](std::string_view piece) { other += piece; });
  EXPECT_NE(other, text);
}

TEST(Generator, NothingToDrawFromIsRefused) {
  EXPECT_THROW(TraceGenerator{GeneratorSpec{}}, InputError);
  GeneratorSpec spec = plain_spec(2);
  spec.arrivals.rate_per_s = 1e-12;  // beyond the longest time
  EXPECT_THROW((void)draw(spec), InputError);
}

}  // namespace
}  // namespace mosim
