// `las` against the same algorithm written down a second time, job by job.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "support/command.hpp"

namespace mosim::test {
namespace {

using Jcts = std::map<std::string, double>;  // by job

// Two columns of a CSV file without quotes.
Jcts read_jcts(const std::string& text) {
  std::istringstream lines(text);
  std::vector<std::string> names;
  Jcts jcts;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::vector<std::string> row;
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    if (names.empty()) {
      names = row;
      continue;
    }
    for (std::size_t i = 1; i < row.size(); ++i) {
      if (names[i] == "jct_s") jcts[row[0]] = std::stod(row[i]);
    }
  }
  return jcts;
}

void expect_as_reference(const std::string& trace, int servers, const std::string& las,
                         const std::string& options) {
  const TemporaryFolder folder;
  const CommandResult ours = run_mosim(
      fmt::format("run -q --contention none --set loading=none --placement bin-packing --trace {} "
                  "--set 'cluster.servers=[{{count: {}, gpus: 8}}]' --queue '{}' -o {}",
                  trace, servers, las, folder.path("out")));
  ASSERT_EQ(ours.exit_code, 0) << ours.err;
  const CommandResult theirs = run_command(
      fmt::format("/usr/bin/python3 {}/tests/schedule/las_reference.py --jobs {} --gpus {} {}",
                  MOSIM_SOURCE_DIR, trace, servers * 8, options));
  ASSERT_EQ(theirs.exit_code, 0) << theirs.err;
  const Jcts expected = read_jcts(theirs.out);
  const Jcts found = read_jcts(read_text(folder.path("out/jobs.csv")));
  ASSERT_FALSE(expected.empty());
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [job, jct] : expected) EXPECT_NEAR(found.at(job), jct, 1e-3) << job;
}

// Jobs of 1 to 16 GPUs, most of them small and short, at whole seconds.
std::string random_trace() {
  RandomStream random(7, "las");
  std::string text = "job_id,submission_time,duration,num_gpu\n";
  std::uint64_t submit_s = 0;
  for (int i = 0; i < 400; ++i) {
    const auto duration_s = static_cast<int>(std::exp(3 + random.uniform() * 7));
    text += fmt::format("job{},{},{},{}\n", i, submit_s, duration_s, 1U << random.below(5));
    submit_s += random.below(1200);
  }
  return text;
}

TEST(LasReference, RandomJobs) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("trace.csv", random_trace());
  expect_as_reference(trace, 2, "las", "");
  expect_as_reference(trace, 2, "las(demotion=tiresias)", "--demotion late --one-queue");
  expect_as_reference(trace, 2, "las(thresholds=100 1000 50000)", "--limits 100 1000 50000");
}

TEST(LasReference, ItpCluster04) {
  const std::string trace = shared_path("traces/elasticflow-itp/raw-cluster04.csv.gz");
  MOSIM_NEEDS(trace);
  expect_as_reference(trace, 64, "las", "");
  expect_as_reference(trace, 64, "las(demotion=tiresias)", "--demotion late --one-queue");
}

}  // namespace
}  // namespace mosim::test
