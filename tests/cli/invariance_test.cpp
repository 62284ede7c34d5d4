// The order of equal rows in a trace changes no result, whatever the policy; nor do thousands of
// events at one time.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "mosim/schedule.hpp"
#include "support/command.hpp"

namespace mosim::test {
namespace {

constexpr const char* kHeader = "job_id,model,arrival_time,duration,gpu_workers,deadline,user\n";
constexpr int kKinds = 8;

// `copies` of each of a few kinds of job, three kinds at each time; equal rows stand together.
std::string trace_of(int copies, bool reversed) {
  std::string text = kHeader;
  for (int kind = 0; kind < kKinds; ++kind) {
    for (int i = 0; i < copies; ++i) {
      const int id = kind * copies + (reversed ? copies - 1 - i : i);
      const int submit_s = kind / 3 * 100;
      text += fmt::format("{},bert,{},{},{},{},u{}\n", id, submit_s, 60 + 45 * (kind % 4),
                          1 << kind % 4, submit_s + 4000, kind % 2);
    }
  }
  return text;
}

// jobs.csv without the ids.
std::string anonymous(const std::string& jobs) {
  std::string text;
  std::size_t at = 0;
  while (at < jobs.size()) {
    const std::size_t end = jobs.find('\n', at);
    text += jobs.substr(jobs.find(',', at), end - jobs.find(',', at) + 1);
    at = end + 1;
  }
  return text;
}

struct Outcome {
  std::string jobs;
  std::string timeline;
};

Outcome outcome(const TemporaryFolder& folder, const std::string& trace, const std::string& options,
                const std::string& resolution = "event") {
  const std::string out = folder.path("out");
  const CommandResult result =
      run_mosim(fmt::format("run -q --force --trace {} {} --resolution {} --set "
                            "'cluster.servers=[{{count: 3, gpus: 8, gpu: V100}}]' -o {}",
                            trace, options, resolution, out));
  EXPECT_EQ(result.exit_code, 0) << options << result.err;
  if (result.exit_code != 0) return {};
  return {anonymous(read_text(out + "/jobs.csv")), read_text(out + "/timeline.csv")};
}

TEST(Invariance, TheOrderOfEqualRowsChangesNothingUnderAnyPolicy) {
  const TemporaryFolder folder;
  const std::string forth = folder.write("forth.csv", trace_of(6, false));
  const std::string back = folder.write("back.csv", trace_of(6, true));
  for (const auto& queue : policies().queues()) {
    for (const char* placement : {"load-balancing", "topology", "random"}) {
      const std::string options =
          fmt::format("--queue {} --placement {}", queue.info.name, placement);
      const Outcome one = outcome(folder, forth, options);
      const Outcome other = outcome(folder, back, options);
      EXPECT_EQ(std::count(one.jobs.begin(), one.jobs.end(), '\n'), 1 + 6 * kKinds) << options;
      EXPECT_EQ(one.jobs, other.jobs) << options;
      EXPECT_EQ(one.timeline, other.timeline) << options;
    }
  }
}

TEST(Invariance, ThousandsOfEqualJobsAtOneTimeEnd) {
  // 24 of 2400 jobs of one GPU run at a time, each 60 s: 100 rounds, all of whose ends and starts
  // are at one time.
  const auto rows = [](bool reversed) {
    std::string text = kHeader;
    for (int i = 0; i < 2400; ++i) {
      text += fmt::format("{},bert,0,60,1,9000,u\n", reversed ? 2399 - i : i);
    }
    return text;
  };
  const TemporaryFolder folder;
  const std::string forth = folder.write("forth.csv", rows(false));
  const std::string back = folder.write("back.csv", rows(true));
  for (const auto& queue : policies().queues()) {
    const std::string options = "--queue " + queue.info.name;
    const Outcome one = outcome(folder, forth, options);
    EXPECT_EQ(one.jobs, outcome(folder, back, options).jobs) << options;
    EXPECT_EQ(std::count(one.jobs.begin(), one.jobs.end(), '\n'), 2401) << options;
  }
}

TEST(Invariance, AtPhaseResolutionToo) {
  const TemporaryFolder folder;
  const std::string forth = folder.write("forth.csv", trace_of(4, false));
  const std::string back = folder.write("back.csv", trace_of(4, true));
  for (const char* queue : {"fifo", "fifo-skip"}) {
    const std::string options = std::string("--queue ") + queue;
    const Outcome one = outcome(folder, forth, options, "phase");
    EXPECT_EQ(one.jobs, outcome(folder, back, options, "phase").jobs) << options;
    EXPECT_EQ(std::count(one.jobs.begin(), one.jobs.end(), '\n'), 1 + 4 * kKinds) << options;
  }
}

}  // namespace
}  // namespace mosim::test
