// What only shows when several keys of a scenario are seen together.
#pragma once

#include "base/problems.hpp"
#include "base/yaml.hpp"
#include "mosim/scenario.hpp"

namespace mosim {

// Where the keys were read from, so that a mistake is told at its place.
struct ScenarioText {
  const YamlNode& root;
  const YamlNode* cluster_file = nullptr;  // its keys come before those of the scenario
};

// Names of virtual clusters, where they are given and where they are used.
void check_cluster(const Scenario& scenario, const ScenarioText& text, Problems& problems);

// Pods and the number of links. The cluster must not have more servers than any may.
void check_fabric(const Scenario& scenario, const ScenarioText& text, Problems& problems);

// What the keys of the fabric say in vain, for people.
[[nodiscard]] std::vector<std::string> fabric_notes(const FabricSpec& fabric);

// Servers and times of `availability`.
void check_availability(const Scenario& scenario, const ScenarioText& text, Problems& problems);

}  // namespace mosim
