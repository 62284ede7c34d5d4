// Events per second of the engine. `make bench` prints it.
//
// Jobs/N: N jobs on 400 servers, kept busy. Servers/S: the same 200,000 jobs, enough to keep 50
// servers busy, on S servers: only the cluster grows, and `time_per_event` must not grow with it.
#include <benchmark/benchmark.h>

#include <cmath>

#include "base/random.hpp"
#include "mosim/profile.hpp"
#include "mosim/schedule.hpp"
#include "mosim/sim.hpp"

namespace mosim {
namespace {

ClusterSpec cluster_of(std::uint32_t servers) {
  return {{ServerGroup{.count = servers, .gpus = 8, .nic = 625e6}}};
}

// Jobs of 1 to 16 workers whose arrivals fill about 80 % of the cluster's GPUs.
std::vector<Job> make_jobs(std::size_t count, std::uint32_t servers) {
  RandomStream random(1, "bench");
  constexpr double kMeanGpus = 6.2;  // of {1, 2, 4, 8, 16}, each as likely
  constexpr double kMeanSeconds = 2000;
  // Contention stretches jobs by about 3.
  const double gap = kMeanGpus * kMeanSeconds * 3 / (0.8 * 8 * servers);
  std::vector<Job> jobs;
  double time = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto uniform = [&] { return static_cast<double>(random.below(1U << 30)) / (1U << 30); };
    Job job;
    time += -std::log(1 - uniform()) * gap;
    job.submit_s = time;
    job.request.workers = 1U << random.below(5);
    job.profile.compute_s = 0.1 + uniform();
    if (job.request.workers > 1) {
      job.profile.network_s = 0.1 + uniform();
      job.profile.volume = (0.1 + 0.4 * uniform()) * 625e6 * job.profile.network_s;
    }
    job.iterations = 2 * kMeanSeconds * uniform() / job.profile.iteration_s();
    jobs.push_back(job);
  }
  return jobs;
}

// `count` jobs that keep `busy` servers busy, on a cluster of `servers`.
void run(benchmark::State& state, std::size_t count, std::uint32_t busy, std::uint32_t servers,
         const ContentionOptions& contention) {
  const ClusterSpec cluster = cluster_of(servers);
  const std::vector<Job> jobs = make_jobs(count, busy);
  const auto placement = policies().make_placement("load-balancing");
  std::uint64_t events = 0;
  for (auto _ : state) {
    const auto queue = policies().make_queue("fifo-skip");
    const SimulationResult result = simulate(cluster, jobs, queue, *placement, {contention, {}});
    events += result.events;
    benchmark::DoNotOptimize(result.events);
  }
  const auto total = static_cast<double>(events);
  state.counters["events_per_s"] = benchmark::Counter(total, benchmark::Counter::kIsRate);
  state.counters["time_per_event"] =
      benchmark::Counter(total, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void Jobs(benchmark::State& state) {
  run(state, static_cast<std::size_t>(state.range(0)), 400, 400, {});
}
BENCHMARK(Jobs)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

void Servers(benchmark::State& state) {
  run(state, 200000, 50, static_cast<std::uint32_t>(state.range(0)), {});
}
BENCHMARK(Servers)->Arg(50)->Arg(500)->Arg(5000)->Arg(50000)->Unit(benchmark::kMillisecond);

// Every iteration of 300 jobs, phase by phase.
void Phases(benchmark::State& state) {
  ContentionOptions contention;
  contention.resolution = Resolution::phase;
  const auto servers = static_cast<std::uint32_t>(state.range(0));
  run(state, 300, servers, servers, contention);
}
BENCHMARK(Phases)->Arg(4)->Arg(40)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mosim
