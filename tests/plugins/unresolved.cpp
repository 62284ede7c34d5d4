// Calls a function that the program does not have.
#include "mosim/plugin.hpp"

namespace mosim {
void no_such_function();
}

extern "C" const char* mosim_plugin_abi() { return mosim::kPluginAbi.data(); }

extern "C" void mosim_register(mosim::PolicyRegistry&) { mosim::no_such_function(); }
