// Recorded runs reproduced through the adapter, with a stand-in for the binary.
#include "profile/astra_sim/astra_sim.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "profile/astra_sim/output.hpp"
#include "support/astra_sim_cases.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;
using test::run_error;

// Where runs put their folders, so that a test sees what they leave.
class AstraSim : public testing::Test {
 protected:
  AstraSim() {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", temporary_.path("").c_str(), 1);
  }
  ~AstraSim() override { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }

  [[nodiscard]] bool left_nothing() const { return fs::is_empty(temporary_.path("")); }

  // One 100 us node and an all-reduce on 2 GPUs.
  [[nodiscard]] static IterationTrace small_trace() {
    IterationTrace trace;
    trace.ranks = 2;
    trace.nodes = {{"c", 100e-6, {}, 0, {}}, {"ar", 0, Collective::all_reduce, 1 << 20, {0}}};
    return trace;
  }
  [[nodiscard]] static AstraSimOptions small_options(const std::string& binary) {
    AstraSimOptions options;
    options.binary = binary;
    options.dimensions = {{2, 25e9, 500e-9}};
    return options;
  }
  [[nodiscard]] std::string error_of(const std::string& stand_in_name,
                                     double timeout_s = 60) const {
    AstraSimOptions options = small_options(test::stand_in(links_, stand_in_name));
    options.timeout_s = timeout_s;
    return run_error([&] { (void)run_astra_sim(small_trace(), options); });
  }
  // The child that the stand-in left, once it has ended; a zombie has ended.
  [[nodiscard]] bool child_has_ended() const {
    const std::string stat = "/proc/" + test::read_text(links_.path("child.pid")) + "/stat";
    for (int tries = 0; tries < 100; ++tries) {
      const std::string text = test::read_text(stat);
      if (text.empty() || text.find(") Z") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  test::TemporaryFolder links_;

 private:
  test::TemporaryFolder temporary_;
  std::optional<std::string> before_;
};

std::uint64_t number(const test::CsvLine& line, const std::string& column) {
  return line.at(column).empty() ? 0 : std::stoull(line.at(column));
}

void expect_recorded(const AstraSimResult& result, const test::CsvLine& line) {
  EXPECT_EQ(result.wall_ns, number(line, "wall_cycles_max"));
  ASSERT_EQ(result.ranks.size(), number(line, "npus"));
  EXPECT_EQ(result.compute_ns, number(line, "gpu_time_rank0"));
  EXPECT_EQ(result.communication_ns, number(line, "comm_time_rank0"));
  EXPECT_EQ(result.exposed_ns, number(line, "exposed_rank0"));
  EXPECT_EQ(result.communication_ns - result.exposed_ns, number(line, "overlap_rank0"));
  for (const AstraSimRank& rank : result.ranks) {
    EXPECT_GE(rank.wall_ns, number(line, "wall_cycles_min"));
    EXPECT_EQ(rank.compute_ns, number(line, "gpu_time_rank0"));
  }
}

// Every recorded run: the inputs that we write are the recorded ones byte by byte (the execution
// traces) or in what they say (the rest), and the recorded output gives the recorded numbers.
TEST_F(AstraSim, RecordedRunsAreReproduced) {
  const std::string summary = test::astra_sim_path("summary.csv");
  MOSIM_NEEDS(summary);
  std::size_t runs = 0;
  for (const test::CsvLine& line : test::read_plain_csv(summary)) {
    const std::string name = line.at("case");
    SCOPED_TRACE(name);
    if (name == "dp_n4_straggler") continue;  // its ranks differ; below
    // The same job with compute given as operations, which we give as a duration.
    const std::string inputs = name == "dp_n8_roofline" ? "dp_n8_overlap" : name;
    AstraSimOptions options = test::recorded_options(name, line.at("backend") == "aware");
    options.binary = test::stand_in(links_, "replay:" + inputs + ":" + name);
    const auto ranks = static_cast<std::uint32_t>(number(line, "npus"));
    AstraSimResult result;
    ASSERT_EQ(
        run_error([&] { result = run_astra_sim(test::recorded_trace(name, ranks), options); }), "");
    expect_recorded(result, line);
    EXPECT_TRUE(left_nothing());
    ++runs;
  }
  EXPECT_EQ(runs, 13U);
}

// The comparison above is a real one: other inputs are noticed.
TEST_F(AstraSim, StandInNoticesOtherInputs) {
  MOSIM_NEEDS(test::astra_sim_path("dp_n4_overlap"));
  AstraSimOptions options = test::recorded_options("dp_n4_overlap", false);
  options.binary = test::stand_in(links_, "replay:dp_n4_overlap:dp_n4_overlap");
  IterationTrace trace = test::recorded_trace("dp_n4_overlap", 4);
  const auto expect = [&](const std::string& part) {
    const std::string message = run_error([&] { (void)run_astra_sim(trace, options); });
    EXPECT_NE(message.find("exit code 3; it said: stand-in: " + part + " is not as recorded"),
              std::string::npos)
        << message;
  };
  options.endpoint_delay_ns = 11;
  expect("system.json");
  options.endpoint_delay_ns = 10;
  options.dimensions[0].bandwidth *= 2;
  expect("bandwidth");
  trace.nodes[12].after.pop_back();
  expect("dp.0.et");
}

// Rank 2 computes 1.5 times as long: 15.9 ms.
TEST_F(AstraSim, RecordedStragglerIsRead) {
  const std::string folder = test::astra_sim_path("dp_n4_straggler");
  MOSIM_NEEDS(folder);
  astra_sim::ChildResult run;
  run.out = test::read_text(folder + "/stdout.txt");
  astra_sim::Expected expected;
  expected.ranks = 4;
  const std::vector<AstraSimRank> ranks = astra_sim::read_output(run, expected);
  const std::vector<std::uint64_t> wall{16307578, 16328109, 16398640, 16287047};
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(ranks[rank].wall_ns, wall[rank]);
    EXPECT_EQ(ranks[rank].compute_ns, rank == 2 ? 15900000U : 10600000U);
    const astra_sim::Inputs inputs =
        astra_sim::make_inputs(test::recorded_trace("dp_n4_straggler", 4, rank),
                               test::recorded_options("dp_n4_straggler", false));
    EXPECT_EQ(astra_sim::chakra_file(inputs.nodes),
              test::read_text(folder + "/et/dp." + std::to_string(rank) + ".et"));
  }
}

TEST_F(AstraSim, KeptFilesSayWhatTheRecordedOnesSay) {
  const std::string folder = test::astra_sim_path("dp_n4_overlap");
  MOSIM_NEEDS(folder);
  AstraSimOptions options = test::recorded_options("dp_n4_overlap", false);
  options.binary = test::stand_in(links_, "replay:dp_n4_overlap:dp_n4_overlap");
  options.keep_files = true;
  const AstraSimResult result = run_astra_sim(test::recorded_trace("dp_n4_overlap", 4), options);
  ASSERT_TRUE(fs::is_directory(result.folder));
  // Byte by byte but for the number 3350.0: with kept files the tool logs its nodes, as recorded.
  std::string system = test::read_text(result.folder + "/system.json");
  system.replace(system.find("3350.0"), 6, "3350");
  EXPECT_EQ(system, test::read_text(folder + "/system.json"));
  options.binary = test::stand_in(links_, "fail");
  const std::string message =
      run_error([&] { (void)run_astra_sim(test::recorded_trace("dp_n4_overlap", 4), options); });
  EXPECT_NE(message.find("its files are in " + fs::temp_directory_path().string()),
            std::string::npos)
      << message;
}

TEST_F(AstraSim, RunsAtOneTimeDoNotMeet) {
  MOSIM_NEEDS(test::astra_sim_path("dp_n8_overlap"));
  AstraSimOptions options = test::recorded_options("dp_n8_overlap", false);
  options.binary = test::stand_in(links_, "replay:dp_n8_overlap:dp_n8_overlap");
  const IterationTrace trace = test::recorded_trace("dp_n8_overlap", 8);
  std::vector<std::uint64_t> wall(4);
  std::vector<std::thread> threads;
  for (std::uint64_t& ns : wall) {
    threads.emplace_back([&] { ns = run_astra_sim(trace, options).wall_ns; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wall, std::vector<std::uint64_t>(4, 13127980));
  EXPECT_TRUE(left_nothing());
}

TEST_F(AstraSim, BinariesThatMisbehaveAreToldApart) {
  const auto expect = [&](const std::string& name, const std::string& part) {
    const std::string message = error_of(name);
    EXPECT_NE(message.find(part), std::string::npos) << name << ": '" << message << "'";
    EXPECT_TRUE(left_nothing()) << name;
  };
  expect("garbage", "printed a line that cannot be read: '?? sys['");
  expect("flood", "killed, it printed too much");
  expect("crash", "ended by SIGABRT");
  expect("fail", "ended with exit code 7; it said: the disk is made of cheese");
  expect("silent", "2 of 2 ranks did not finish (0, 1)");
}

TEST_F(AstraSim, TimeLimitKillsTheWholeGroup) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(error_of("child-hang", 0.3), "astra-sim: killed at the time limit of 0.3 s");
  EXPECT_TRUE(child_has_ended());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_TRUE(left_nothing());
}

TEST_F(AstraSim, ChildrenLeftBehindAreNotWaitedFor) {
  MOSIM_NEEDS(test::astra_sim_path("dp_n2_serial"));
  AstraSimOptions options = test::recorded_options("dp_n2_serial", false);
  options.binary = test::stand_in(links_, "child-replay:dp_n2_serial:dp_n2_serial");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run_astra_sim(test::recorded_trace("dp_n2_serial", 2), options).wall_ns, 15376316U);
  EXPECT_TRUE(child_has_ended());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// A name is looked up in PATH; a relative path starts at our folder, not at that of the run.
TEST_F(AstraSim, BinariesByNameAndByRelativePath) {
  for (const std::string& binary :
       {std::string("true"), fs::relative(test::stand_in(links_, "silent")).string()}) {
    EXPECT_EQ(run_error([&] { (void)run_astra_sim(small_trace(), small_options(binary)); }),
              "astra-sim: 2 of 2 ranks did not finish (0, 1)")
        << binary;
  }
}

TEST_F(AstraSim, BinariesThatCannotBeStarted) {
  const auto error = [&](const std::string& binary) {
    return run_error([&] { (void)run_astra_sim(small_trace(), small_options(binary)); });
  };
  EXPECT_EQ(error("/no/such/binary"),
            "/no/such/binary: cannot be started (No such file or directory)");
  EXPECT_EQ(error(links_.write("text", "not a program")),
            links_.path("text") + ": cannot be started (Permission denied)");
  EXPECT_EQ(error(""), "astra-sim: no binary is given");
  EXPECT_TRUE(left_nothing());
}

// A recorded output for another job: more gradients than it can have sent, or other compute.
TEST_F(AstraSim, TimesThatCannotBeRightAreRefused) {
  MOSIM_NEEDS(test::astra_sim_path("dp_n4_overlap"));
  AstraSimOptions options = test::recorded_options("dp_n4_overlap", false);
  IterationTrace trace = test::recorded_trace("dp_n4_overlap", 4);
  astra_sim::ChildResult run;
  run.out = test::read_text(test::astra_sim_path("dp_n4_overlap/stdout.txt"));
  const auto error = [&] {
    const astra_sim::Expected expected =
        astra_sim::expected_output(astra_sim::make_inputs(trace, options));
    return run_error(
        [&] { astra_sim::check_times(astra_sim::read_output(run, expected), expected.bounds); });
  };
  EXPECT_EQ(error(), "");
  trace.nodes[11].bytes *= 1.01;
  EXPECT_NE(error().find("the communication time of rank 0, 7212844 ns, is below"),
            std::string::npos);
  trace = test::recorded_trace("dp_n4_overlap", 4);
  trace.nodes[0].compute_s *= 2;
  EXPECT_NE(error().find("the compute time of rank 0, 10600000 ns, is not the given 11600000"),
            std::string::npos);
}

}  // namespace
}  // namespace mosim
