// Built for another MoSim, of which it calls what this one does not have.
#include "mosim/plugin.hpp"

namespace mosim {
void no_such_function();
}

extern "C" const char* mosim_plugin_abi() { return "MoSim 0.0.9, C++ ABI 1"; }

extern "C" void mosim_register(mosim::PolicyRegistry&) { mosim::no_such_function(); }
