// Loads plugins: include/mosim/plugin.hpp has what they are.
#pragma once

#include <string>

namespace mosim {

// Loads the shared object and adds what it registers to `policies()`, all or nothing; once, however
// often it is asked for. Throws InputError when it cannot be loaded, is no plugin, was built for
// another MoSim, or registers what is not right.
void load_plugin(const std::string& path);

}  // namespace mosim
