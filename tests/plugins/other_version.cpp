// Built for another MoSim: its policies must not be asked for.
#include <cstdlib>

#include "mosim/plugin.hpp"

extern "C" const char* mosim_plugin_abi() { return "MoSim 0.0.9, C++ ABI 1"; }

extern "C" void mosim_register(mosim::PolicyRegistry&) { std::abort(); }
