// Bytes and jobs per second of read_trace, on one core. `make bench` prints it.
//
// Each file is made once, in the folder for temporary files, of jobs that look like those of the
// public traces. The whole call is timed: opening, telling the format, reading, sorting.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/calendar.hpp"
#include "base/random.hpp"
#include "mosim/trace.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;

constexpr double kFirst_s = 1507339899;  // 2017-10-07

// Writes the jobs that `write_job` appends to a text, one call each.
class TraceFile {
 public:
  TraceFile(const std::string& name, std::string_view before, std::string_view after,
            std::size_t jobs, const std::function<void(std::string&, std::size_t)>& write_job)
      : path_((fs::temp_directory_path() / ("mosim-trace-bench-" + name)).string()) {
    std::ofstream out(path_, std::ios::binary);
    std::string text(before);
    for (std::size_t job = 0; job < jobs; ++job) {
      write_job(text, job);
      if (text.size() < (1U << 20)) continue;
      out << text;
      text.clear();
    }
    out << text << after;
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct TimesOfJob {
  std::string submit, start, end;
  std::uint64_t run_s = 0, wait_s = 0;
};

TimesOfJob times_of(RandomStream& random, std::size_t job) {
  TimesOfJob times;
  times.run_s = random.below(100000);
  times.wait_s = random.below(2000);
  const double submit =
      kFirst_s + 7 * static_cast<double>(job) + static_cast<double>(random.below(7));
  const double start = submit + static_cast<double>(times.wait_s);
  times.submit = format_calendar_time(submit);
  times.start = format_calendar_time(start);
  times.end = format_calendar_time(start + static_cast<double>(times.run_s));
  return times;
}

void write_philly_job(std::string& text, RandomStream& random, std::size_t job) {
  const TimesOfJob times = times_of(random, job);
  text += job == 0 ? "\n" : ",\n";
  text += fmt::format(
      " {{\n  \"status\": \"{}\",\n  \"vc\": \"{:06x}\",\n  \"jobid\": "
      "\"application_1506638472019_{}\",\n  \"attempts\": [",
      random.below(3) == 0 ? "Failed" : "Pass", random.below(14) * 1000003, job);
  const std::uint64_t gpus = 1U << random.below(5);
  const std::uint64_t attempts = random.below(4) == 0 ? 2 : 1;
  for (std::uint64_t attempt = 0; attempt < attempts; ++attempt) {
    const std::string& first = attempt == 0 ? times.start : times.end;
    text += fmt::format(
        "{}\n   {{\n    \"start_time\": \"{}\",\n    \"end_time\": \"{}\",\n    \"detail\": [",
        attempt == 0 ? "" : ",", first, times.end);
    for (std::uint64_t gpu = 0; gpu < gpus; ++gpu) {
      if (gpu % 8 == 0) {
        text += fmt::format("{}\n     {{\n      \"ip\": \"m{}\",\n      \"gpus\": [",
                            gpu == 0 ? "" : ",", random.below(550));
      }
      text += fmt::format("{}\n       \"gpu{}\"", gpu % 8 == 0 ? "" : ",", gpu % 8);
      if (gpu % 8 == 7 || gpu + 1 == gpus) text += "\n      ]\n     }";
    }
    text += "\n    ]\n   }";
  }
  text += fmt::format("\n  ],\n  \"submitted_time\": \"{}\",\n  \"user\": \"{:06x}\"\n }}",
                      times.submit, random.below(300) * 40009);
}

void write_helios_job(std::string& text, RandomStream& random, std::size_t job) {
  const TimesOfJob times = times_of(random, job);
  const std::uint64_t gpus = random.below(2) == 0 ? 0 : 1U << random.below(5);
  text += fmt::format("{},u{:04},vc{:03},{},{},1,{},{},{},{},{},{}\n", 1425511 + job,
                      random.below(1000), random.below(25), gpus, 4 * gpus + 1,
                      random.below(4) == 0 ? "FAILED" : "COMPLETED", times.submit, times.start,
                      times.end, times.run_s, times.wait_s);
}

void write_philly_row(std::string& text, RandomStream& random, std::size_t job) {
  const TimesOfJob times = times_of(random, job);
  const std::uint64_t gpus = 1U << random.below(5);
  text += fmt::format("{},{}.0,{},{}.0,{:06x}\n", times.submit, times.run_s, gpus,
                      gpus * times.run_s, random.below(14) * 1000003);
}

using WriteJob = void (*)(std::string&, RandomStream&, std::size_t);

void read(benchmark::State& state, const std::string& name, std::string_view before,
          std::string_view after, WriteJob write_job) {
  RandomStream random(1, name);
  const auto jobs = static_cast<std::size_t>(state.range(0));
  const TraceFile file(name, before, after, jobs,
                       [&](std::string& text, std::size_t job) { write_job(text, random, job); });
  for (auto _ : state) {
    const Trace trace = read_trace({.file = file.path()});
    benchmark::DoNotOptimize(trace.jobs.data());
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(fs::file_size(file.path())));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void philly_json(benchmark::State& state) {
  read(state, "philly.json", "[", "\n]\n", write_philly_job);
}
BENCHMARK(philly_json)->Name("read_trace/philly")->Arg(800'000)->Unit(benchmark::kMillisecond);

void helios(benchmark::State& state) {
  read(state, "helios.csv",
       "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
       "queue\n",
       "", write_helios_job);
}
BENCHMARK(helios)->Name("read_trace/helios")->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void philly_csv(benchmark::State& state) {
  read(state, "philly.csv", "timestamp,duration,num_gpus,gpu_time,cluster\n", "", write_philly_row);
}
BENCHMARK(philly_csv)->Name("read_trace/philly-csv")->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mosim
