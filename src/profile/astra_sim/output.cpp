#include "profile/astra_sim/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/text.hpp"
#include "mosim/base.hpp"

namespace mosim::astra_sim {
namespace {

// The lines of a rank that were there.
struct Found {
  std::optional<std::uint64_t> finished;  // cycles of the line `finished`, and its exposed part
  std::optional<std::uint64_t> exposed;
  std::optional<std::uint64_t> wall;  // lines of the statistics
  std::optional<std::uint64_t> compute;
  std::optional<std::uint64_t> communication;
  std::optional<std::uint64_t> overlap;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// A line of the tool's as a message can quote it.
std::string quotable(std::string_view line) {
  constexpr std::size_t kLongest = 300;
  std::string text(line.substr(0, kLongest));
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

// What the tool itself says is wrong: lines marked critical, and the last ones of stderr.
std::string words_of_the_tool(const ChildResult& run) {
  constexpr std::size_t kMostLines = 3;
  constexpr std::string_view kMark = "[critical] ";
  std::vector<std::string> words;
  const auto add = [&](std::string_view line) {
    std::string text = quotable(line);
    if (std::find(words.begin(), words.end(), text) == words.end()) {
      words.push_back(std::move(text));
    }
  };
  for (const std::string_view line : lines_of(run.out)) {
    const std::size_t at = line.find(kMark);
    if (at == std::string_view::npos) continue;
    if (words.size() < kMostLines) add(line.substr(at + kMark.size()));
  }
  const std::vector<std::string_view> errors = lines_of(run.err);
  for (std::size_t i = errors.size() - std::min(errors.size(), kMostLines); i < errors.size();
       ++i) {
    add(errors[i]);
  }
  return words.empty() ? "" : fmt::format("; it said: {}", join(words, " | "));
}

RunError refused(const ChildResult& run, const std::string& what) {
  return RunError(fmt::format("astra-sim: {}{}", what, words_of_the_tool(run)));
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

void check_end(const ChildResult& run) {
  switch (run.end) {
    case ChildResult::End::timed_out:
      throw refused(run, fmt::format("killed at the time limit of {} s", run.time_limit_s));
    case ChildResult::End::too_much_output:
      throw refused(run, "killed, it printed too much");
    case ChildResult::End::signalled:
      throw refused(run, fmt::format("ended by {}", signal_name(run.signal)));
    case ChildResult::End::exited:
      break;
  }
  if (run.exit_code == 0) return;
  // Shells and wrappers report a signal n as 128 + n.
  const int signal = run.exit_code - 128;
  const bool wrapped = signal > 0 && ::sigabbrev_np(signal) != nullptr;
  throw refused(run, fmt::format("ended with exit code {}{}", run.exit_code,
                                 wrapped ? fmt::format(" ({})", signal_name(signal)) : ""));
}

// Takes `text` away from the front of `line`, if it is there.
bool take(std::string_view& line, std::string_view text) {
  if (!line.starts_with(text)) return false;
  line.remove_prefix(text.size());
  return true;
}

std::optional<std::uint64_t> take_number(std::string_view& line) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return number;
}

// Reads the lines of ranks one by one.
class Reader {
 public:
  Reader(const ChildResult& run, std::uint32_t ranks) : run_(run), found_(ranks) {}

  std::vector<Found> read() {
    constexpr std::string_view kStart = "sys[";
    for (const std::string_view line : lines_of(run_.out)) {
      const std::size_t at = line.find(kStart);
      if (at != std::string_view::npos) read_line(line.substr(at + kStart.size()), line);
    }
    return std::move(found_);
  }

 private:
  void read_line(std::string_view rest, std::string_view line) {
    const auto rank = take_number(rest);
    if (!rank || !take(rest, "]")) return unreadable(line);
    if (*rank >= found_.size()) {
      throw refused(run_,
                    fmt::format("a line of rank {}, but there are {} ranks", *rank, found_.size()));
    }
    Found& found = found_[*rank];
    if (take(rest, " finished, ")) {
      store(found.finished, take_number(rest), line);
      if (!take(rest, " cycles, exposed communication ")) return unreadable(line);
      store(found.exposed, take_number(rest), line);
      if (rest != " cycles.") return unreadable(line);
    } else if (take(rest, ", Wall time: ")) {
      store_last(found.wall, rest, line);
    } else if (take(rest, ", GPU time: ")) {
      store_last(found.compute, rest, line);
    } else if (take(rest, ", Comm time: ")) {
      store_last(found.communication, rest, line);
    } else if (take(rest, ", Total compute-communication overlap: ")) {
      store_last(found.overlap, rest, line);
    }
  }

  void store(std::optional<std::uint64_t>& where, std::optional<std::uint64_t> number,
             std::string_view line) const {
    if (!number) return unreadable(line);
    if (where) throw refused(run_, fmt::format("printed a line twice: '{}'", quotable(line)));
    where = number;
  }

  void store_last(std::optional<std::uint64_t>& where, std::string_view rest,
                  std::string_view line) const {
    const auto number = take_number(rest);
    if (!trim(rest).empty()) return unreadable(line);
    store(where, number, line);
  }

  void unreadable(std::string_view line) const {
    throw refused(run_, fmt::format("printed a line that cannot be read: '{}'", quotable(line)));
  }

  const ChildResult& run_;
  std::vector<Found> found_;
};

void check_all_finished(const ChildResult& run, const std::vector<Found>& found) {
  std::vector<std::string> unfinished;
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    if (!found[rank].finished) unfinished.push_back(fmt::format("{}", rank));
  }
  if (unfinished.empty()) return;
  constexpr std::size_t kMostNamed = 8;
  const std::size_t count = unfinished.size();
  if (count > kMostNamed) unfinished.resize(kMostNamed);
  throw refused(run, fmt::format("{} of {} ranks did not finish ({}{})", count, found.size(),
                                 join(unfinished, ", "), count > kMostNamed ? ", ..." : ""));
}

// A time that must be there when the rank has such work, and else be 0 or left out.
std::uint64_t statistic(const ChildResult& run, std::size_t rank, std::string_view name,
                        std::optional<std::uint64_t> value, bool wanted) {
  if (wanted && !value) {
    throw refused(run, fmt::format("the statistics of rank {} lack '{}' (ASTRA-sim prints "
                                   "statistics since 2025)",
                                   rank, name));
  }
  if (!wanted && value.value_or(0) != 0) {
    throw refused(run, fmt::format("rank {} has a '{}', but no such work", rank, name));
  }
  return value.value_or(0);
}

AstraSimRank times_of(const ChildResult& run, const Expected& expected, std::size_t rank,
                      const Found& found) {
  AstraSimRank times;
  times.wall_ns = statistic(run, rank, "Wall time", found.wall, true);
  times.compute_ns = statistic(run, rank, "GPU time", found.compute, expected.computes);
  times.communication_ns =
      statistic(run, rank, "Comm time", found.communication, expected.communicates);
  times.exposed_ns = found.exposed.value_or(0);
  const auto contradiction = [&](const std::string& what) {
    return refused(run, fmt::format("the times of rank {} do not add up: {}", rank, what));
  };
  if (times.wall_ns != found.finished) {
    throw contradiction(fmt::format("finished after {} cycles, but wall time {}",
                                    found.finished.value_or(0), times.wall_ns));
  }
  if (times.wall_ns < times.compute_ns) {
    throw contradiction(
        fmt::format("wall time {} below the compute time {}", times.wall_ns, times.compute_ns));
  }
  if (times.exposed_ns != times.wall_ns - times.compute_ns) {
    throw contradiction(fmt::format("wall time {}, compute {}, but {} exposed", times.wall_ns,
                                    times.compute_ns, times.exposed_ns));
  }
  // At any time a rank computes, communicates (waiting for other ranks included) or does both.
  if (times.exposed_ns + found.overlap.value_or(0) != times.communication_ns) {
    throw contradiction(fmt::format("communication {}, but {} exposed and {} overlapped",
                                    times.communication_ns, times.exposed_ns,
                                    found.overlap.value_or(0)));
  }
  return times;
}

}  // namespace

Expected expected_output(const Inputs& inputs) {
  Expected expected;
  expected.ranks = inputs.ranks;
  const auto communicates = [](const Node& node) { return node.collective.has_value(); };
  expected.computes = !std::all_of(inputs.nodes.begin(), inputs.nodes.end(), communicates);
  expected.communicates = std::any_of(inputs.nodes.begin(), inputs.nodes.end(), communicates);
  expected.bounds = least_times(inputs);
  return expected;
}

std::vector<AstraSimRank> read_output(const ChildResult& run, const Expected& expected) {
  check_end(run);
  const std::vector<Found> found = Reader(run, expected.ranks).read();
  check_all_finished(run, found);
  if (run.out.find("[critical]") != std::string::npos) throw refused(run, "reported a fault");
  std::vector<AstraSimRank> ranks;
  ranks.reserve(found.size());
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    ranks.push_back(times_of(run, expected, rank, found[rank]));
  }
  return ranks;
}

void check_times(const std::vector<AstraSimRank>& ranks, const Bounds& bounds) {
  // The bounds are sums of many floating-point terms.
  constexpr double kSlack = 1 - 1e-6;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto bad = [&](std::string_view name, std::uint64_t got, std::string_view relation,
                         double bound) {
      return RunError(fmt::format("astra-sim: the {} of rank {}, {} ns, {} {:.0f} ns", name, rank,
                                  got, relation, bound));
    };
    const AstraSimRank& times = ranks[rank];
    if (static_cast<double>(times.compute_ns) != bounds.compute_ns) {
      throw bad("compute time", times.compute_ns, "is not the given", bounds.compute_ns);
    }
    if (static_cast<double>(times.communication_ns) < bounds.communication_ns * kSlack) {
      throw bad("communication time", times.communication_ns, "is below the least possible",
                bounds.communication_ns);
    }
    if (static_cast<double>(times.wall_ns) < bounds.wall_ns * kSlack) {
      throw bad("wall time", times.wall_ns, "is below the least possible", bounds.wall_ns);
    }
  }
}

}  // namespace mosim::astra_sim
