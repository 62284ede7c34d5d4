// Throws what is no std::exception instead of registering.
#include "mosim/plugin.hpp"

extern "C" const char* mosim_plugin_abi() { return mosim::kPluginAbi.data(); }

extern "C" void mosim_register(mosim::PolicyRegistry&) {
  throw 7;  // NOLINT(hicpp-exception-baseclass)
}
