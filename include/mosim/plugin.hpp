// Plugins: policies and placements in a shared object that `mosim --plugin FILE` loads.
//
// A plugin exports two C functions; docs/policies.md and examples/policy-cpp/ show a whole one:
//
//   extern "C" const char* mosim_plugin_abi() { return mosim::kPluginAbi.data(); }
//   extern "C" void mosim_register(mosim::PolicyRegistry& registry) { registry.add_queue(...); }
//
// The program compares the first with its own before it calls the second, so that a plugin built
// from other headers, or by another compiler, is refused with a message instead of crashing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mosim/schedule.hpp"

namespace mosim {

// To be raised when a virtual function of the scheduling interface is added, removed or moved: the
// sizes below do not show that.
inline constexpr std::uint64_t kPluginInterface = 1;

namespace detail {

// The text grows at compile time.
struct AbiText {
  std::array<char, 160> text{};
  std::size_t size = 0;

  constexpr AbiText& add(std::string_view part) {
    for (const char c : part) text.at(size++) = c;
    return *this;
  }
  constexpr AbiText& add(std::uint64_t number) {
    if (number >= 10) add(number / 10);
    text.at(size++) = static_cast<char>('0' + number % 10);
    return *this;
  }
};

// What plugin and program hand to each other, folded into one number.
constexpr std::uint64_t interface_number() {
  std::uint64_t hash = kPluginInterface;
  for (const std::size_t size :
       {sizeof(JobState), sizeof(JobView), sizeof(JobFacts), sizeof(Job), sizeof(JobProfile),
        sizeof(ResourceRequest), sizeof(WorkerGroup), sizeof(ClusterState), sizeof(ServerPool),
        sizeof(PlacementQuery), sizeof(Parameter), sizeof(PolicyNeeds), sizeof(PolicyInfo),
        sizeof(PolicySetup), sizeof(PolicyRegistry), sizeof(PolicyRegistry::QueueEntry),
        sizeof(PolicyRegistry::PlacementEntry), sizeof(InvalidAction)}) {
    hash = (hash * 1000003 + size) % 1000000007;
  }
  return hash;
}

constexpr std::array<char, 160> plugin_abi() {
  AbiText abi;
  abi.add("MoSim 0.1.0, ");
#ifdef __GXX_ABI_VERSION
  abi.add("C++ ABI ").add(std::uint64_t{__GXX_ABI_VERSION}).add(", ");
#endif
#ifdef _GLIBCXX_USE_CXX11_ABI
  abi.add("cxx11 strings ").add(std::uint64_t{_GLIBCXX_USE_CXX11_ABI}).add(", ");
#endif
  abi.add("C++ ").add(std::uint64_t{__cplusplus}).add(", interface ").add(interface_number());
  return abi.text;
}

}  // namespace detail

// The version of MoSim and what has to be the same on both sides, as text that ends with 0. Not
// `inline`: the program's would then stand in for the plugin's.
constexpr std::array<char, 160> kPluginAbi = detail::plugin_abi();

}  // namespace mosim
