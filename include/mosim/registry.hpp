// What is known by name: policies that order the queue, and placements.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mosim/placement.hpp"
#include "mosim/policy.hpp"

namespace mosim {

enum class ParameterKind : std::uint8_t { number, integer, boolean, duration, numbers, choice };

// A parameter of a policy. Users write "las(thresholds=3250 7200, promote=8)".
struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::number;
  std::string fallback;  // its default, as users write it
  std::string help;
  double minimum = 0;  // of numbers, both ends included
  double maximum = 1e300;
  std::vector<std::string> choices = {};  // of a choice
};

// The values of a policy's parameters. Asking for one that is not declared is a programming error
// and throws std::logic_error.
class Parameters {
 public:
  Parameters() = default;
  explicit Parameters(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}

  [[nodiscard]] double number(std::string_view name) const;  // numbers, integers and durations in s
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::vector<double> numbers(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;  // a choice

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// What a policy cannot do without.
struct PolicyNeeds {
  bool remaining_time = false;  // the oracle: no real scheduler knows it
  bool estimates = false;       // users' estimates of the run time
  bool deadlines = false;
};

// What a policy says of itself.
struct PolicyInfo {
  std::string name;
  std::string summary = {};  // one line
  std::string source = {};   // the paper or system that it is from
  std::vector<Parameter> parameters = {};
  PolicyNeeds needs = {};
  bool decides_placement = false;       // it starts jobs where it wants to
  bool spans_virtual_clusters = false;  // one instance for all of them, not one each
};

// What a policy is made from.
struct PolicySetup {
  const Parameters& parameters;
  std::uint64_t seed = 1;  // of those that draw random numbers
};

// A policy that is ready for a run.
struct ActivePolicy {
  std::string name;
  PolicyNeeds needs;
  bool spans_virtual_clusters = false;
  std::shared_ptr<Policy> policy;
};

// Filled explicitly: `policies()` has the ones that ship.
class PolicyRegistry {
 public:
  template <typename Made>
  struct Entry {
    PolicyInfo info;
    std::function<std::unique_ptr<Made>(const PolicySetup& setup)> make;
  };
  using QueueEntry = Entry<Policy>;
  using PlacementEntry = Entry<Placement>;

  // Throw std::invalid_argument when the name is taken or a parameter's default is not right.
  void add_queue(QueueEntry entry);
  void add_placement(PlacementEntry entry);

  // In the order of registration.
  [[nodiscard]] const std::vector<QueueEntry>& queues() const { return queues_; }
  [[nodiscard]] const std::vector<PlacementEntry>& placements() const { return placements_; }

  // From a name, or a name with parameters in parentheses. Throw std::invalid_argument, whose text
  // says what is wrong and what was expected, when it is not registered or a parameter is wrong.
  [[nodiscard]] ActivePolicy make_queue(std::string_view text, std::uint64_t seed = 1) const;
  [[nodiscard]] std::unique_ptr<Placement> make_placement(std::string_view text,
                                                          std::uint64_t seed = 1) const;

 private:
  std::vector<QueueEntry> queues_;
  std::vector<PlacementEntry> placements_;
};

// The process's registry, with the policies that ship already in it. Add yours before a run starts.
[[nodiscard]] PolicyRegistry& policies();

}  // namespace mosim
