// Which models of a pool a study is about.
#pragma once

#include <string>
#include <vector>

#include "mosim/workload.hpp"

namespace mosim {

// The models with these names or aliases, in this order; all that the pool draws from when there
// are no names. Throws InputError for a name that the pool does not know.
[[nodiscard]] std::vector<ModelConfig> chosen_models(const ModelPool& pool,
                                                     const std::vector<std::string>& names);

}  // namespace mosim
