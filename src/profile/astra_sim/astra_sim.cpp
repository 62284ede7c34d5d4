#include "profile/astra_sim/astra_sim.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "mosim/base.hpp"
#include "profile/astra_sim/output.hpp"

namespace mosim {
namespace {

namespace fs = std::filesystem;
using astra_sim::Inputs;

// A fresh folder for one run, removed at the end unless it is to be kept.
class RunFolder {
 public:
  explicit RunFolder(bool keep) : keep_(keep) {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string pattern = (parent / "mosim-astra-sim-XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr) {
      throw RunError(fmt::format("{}: no folder for ASTRA-sim's files can be made ({})", pattern,
                                 error ? error.message() : std::strerror(errno)));
    }
    path_ = pattern;
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder() {
    std::error_code ignored;
    if (!keep_) fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  bool keep_;
};

AstraSimResult result_of(std::vector<AstraSimRank> ranks) {
  AstraSimResult result;
  for (const AstraSimRank& rank : ranks) {
    result.wall_ns = std::max(result.wall_ns, rank.wall_ns);
    result.compute_ns = std::max(result.compute_ns, rank.compute_ns);
    result.communication_ns = std::max(result.communication_ns, rank.communication_ns);
    result.exposed_ns = std::max(result.exposed_ns, rank.exposed_ns);
  }
  result.ranks = std::move(ranks);
  return result;
}

// One rank, or no work: it only computes, one node after the other. The tool refuses one rank.
AstraSimResult answer_inside(const IterationTrace& trace) {
  double compute_s = 0;
  for (const TraceNode& node : trace.nodes) compute_s += node.compute_s;
  const auto ns = static_cast<std::uint64_t>(std::llround(compute_s * 1e9));
  return result_of(std::vector<AstraSimRank>(trace.ranks, {ns, ns, 0, 0}));
}

AstraSimResult run_in(const RunFolder& folder, const Inputs& inputs,
                      const AstraSimOptions& options) {
  astra_sim::write_inputs(inputs, folder.path());
  astra_sim::ChildOptions child;
  child.program = options.binary;
  child.arguments = astra_sim::arguments();
  child.folder = folder.path().string();
  child.time_limit = std::chrono::duration<double>(options.timeout_s);
  const astra_sim::ChildResult run = astra_sim::run_child(child);
  const astra_sim::Expected expected = astra_sim::expected_output(inputs);
  std::vector<AstraSimRank> ranks = astra_sim::read_output(run, expected);
  astra_sim::check_times(ranks, expected.bounds);
  return result_of(std::move(ranks));
}

AstraSimResult run_binary(const Inputs& inputs, const AstraSimOptions& options) {
  const RunFolder folder(options.keep_files);
  if (!options.keep_files) return run_in(folder, inputs, options);
  try {
    AstraSimResult result = run_in(folder, inputs, options);
    result.folder = folder.path().string();
    return result;
  } catch (const RunError& error) {
    throw RunError(fmt::format("{}; its files are in {}", error.what(), folder.path().string()));
  }
}

}  // namespace

AstraSimResult run_astra_sim(const IterationTrace& trace, const AstraSimOptions& options) {
  const Inputs inputs = astra_sim::make_inputs(trace, options);
  const bool alone = inputs.ranks == 1 && inputs.dimensions.empty();
  if (!alone) astra_sim::check_inputs(inputs);
  if (alone || inputs.nodes.empty()) return answer_inside(trace);
  if (options.binary.empty()) throw RunError("astra-sim: no binary is given");
  if (!(options.timeout_s > 0)) {
    throw RunError(
        fmt::format("astra-sim: a time limit of {} s; expected more than 0", options.timeout_s));
  }
  return run_binary(inputs, options);
}

}  // namespace mosim
