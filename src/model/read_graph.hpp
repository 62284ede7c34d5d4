// Reads the description of a model into its graph. docs/formats.md has the form of the layers.
#pragma once

#include "base/problems.hpp"
#include "base/yaml.hpp"
#include "mosim/model.hpp"

namespace mosim {

// The graph of `layers` on the shape in `input`: [channels, height, width], or [features,
// positions] for a sequence. Adds what is wrong to the problems and gives what could be read.
[[nodiscard]] ModelGraph read_graph(const YamlNode& layers, const YamlNode& input,
                                    Problems& problems);

// A graph of equal linear operators for a model of which only totals are known.
[[nodiscard]] ModelGraph read_totals(const YamlNode& totals, Problems& problems);

}  // namespace mosim
