#include "schedule/plugin.hpp"

#include "mosim/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "base/file.hpp"

namespace mosim {
namespace {

static_assert(std::string_view(kPluginAbi.data()).starts_with("MoSim " MOSIM_VERSION ","),
              "mosim/plugin.hpp has the version of the last release");

[[noreturn]] void refuse(const std::string& path, std::string what, std::string expected) {
  throw InputError({path, {}}, std::move(what), std::move(expected));
}

constexpr std::string_view kExpected =
    "a plugin built with this MoSim's headers (docs/policies.md); rebuild it";

void check_is_object(const std::string& path) {
  if (path == kStandardInput) refuse(path, "is no shared object", "a path");
  const auto source = open_source(path, "a plugin, a shared object");
  std::array<char, 4> magic{};
  if (source->read(magic.data(), magic.size()) == magic.size() && std::memcmp(magic.data(),
                                                                              "\x7f"
                                                                              "ELF",
                                                                              magic.size()) == 0) {
    return;
  }
  refuse(path, "is no shared object", "a plugin, such as libmypolicy.so");
}

// Resolves functions only when they are called, or `all` of them now.
void* open_object(const std::string& path, int when) {
  ::dlerror();
  void* object = ::dlopen(path.c_str(), when | RTLD_LOCAL);
  if (object != nullptr) return object;
  const char* error = ::dlerror();
  refuse(path, fmt::format("cannot be loaded: {}", error == nullptr ? "no reason given" : error),
         std::string(kExpected));
}

template <typename Function>
Function* find_function(const std::string& path, void* object, const char* name) {
  void* symbol = ::dlsym(object, name);
  if (symbol != nullptr) return reinterpret_cast<Function*>(symbol);
  refuse(path, fmt::format("has no function '{}'", name),
         "a plugin with extern \"C\" functions mosim_plugin_abi and mosim_register");
}

void check_abi(const std::string& path, const char* abi) {
  const std::string_view built = abi == nullptr ? "nothing" : abi;
  const std::string_view ours = kPluginAbi.data();
  if (built == ours) return;
  refuse(path, fmt::format("is built for {}", built),
         fmt::format("{}, which this program is; rebuild the plugin with its headers", ours));
}

// Runs what a plugin wrote; what it throws comes out as RunError that names it.
template <typename Call>
auto guarded(std::string_view whose, Call&& call) {
  try {
    return call();
  } catch (const std::invalid_argument&) {
    throw;  // it does not like a parameter
  } catch (const std::exception& error) {
    std::throw_with_nested(RunError(fmt::format("{} failed: {}", whose, error.what())));
  } catch (...) {
    std::throw_with_nested(RunError(fmt::format("{} failed", whose)));
  }
}

// A placement is called from many places, unlike a policy, which the engine guards.
class GuardedPlacement : public Placement {
 public:
  GuardedPlacement(const std::string& name, std::unique_ptr<Placement> placement)
      : whose_(fmt::format("placement '{}'", name)), placement_(std::move(placement)) {}

  [[nodiscard]] bool place(const ServerPool& servers, const PlacementQuery& query,
                           std::vector<WorkerGroup>& groups) const override {
    return guarded(whose_, [&] { return placement_->place(servers, query, groups); });
  }
  [[nodiscard]] std::uint32_t kind_of(const PlacementQuery& query) const override {
    return guarded(whose_, [&] { return placement_->kind_of(query); });
  }

 private:
  std::string whose_;
  std::unique_ptr<Placement> placement_;
};

std::unique_ptr<Policy> guard(const std::string&, std::unique_ptr<Policy> policy) { return policy; }

std::unique_ptr<Placement> guard(const std::string& name, std::unique_ptr<Placement> placement) {
  return std::make_unique<GuardedPlacement>(name, std::move(placement));
}

// The plugin's entry, with what makes it guarded.
template <typename Made>
PolicyRegistry::Entry<Made> guard(PolicyRegistry::Entry<Made> entry) {
  const std::string name = entry.info.name;
  if (!entry.make) {
    throw std::invalid_argument(fmt::format("policy '{}' has no function that makes it", name));
  }
  entry.make = [name, make = std::move(entry.make)](const PolicySetup& setup) {
    const std::string whose = fmt::format("policy '{}'", name);
    std::unique_ptr<Made> made = guarded(whose, [&] { return make(setup); });
    if (made == nullptr) throw RunError(fmt::format("{} is not made: it is null", whose));
    return guard(name, std::move(made));
  };
  return entry;
}

// What the plugin registers is added to a copy, so that a mistake in it changes nothing.
void register_policies(const std::string& path, void (*register_function)(PolicyRegistry&)) {
  PolicyRegistry theirs;
  PolicyRegistry all = policies();
  try {
    register_function(theirs);
    for (const auto& entry : theirs.queues()) all.add_queue(guard(entry));
    for (const auto& entry : theirs.placements()) all.add_placement(guard(entry));
  } catch (const std::exception& error) {
    refuse(path, fmt::format("cannot register its policies: {}", error.what()), "");
  } catch (...) {
    refuse(path, "cannot register its policies: it throws what is no std::exception", "");
  }
  if (theirs.queues().empty() && theirs.placements().empty()) {
    refuse(path, "registers no policy", "at least one");
  }
  policies() = std::move(all);
}

}  // namespace

void load_plugin(const std::string& path) {
  static std::set<std::string> loaded;
  check_is_object(path);
  const std::string file = std::filesystem::canonical(path).string();
  if (loaded.contains(file)) return;
  // It stays loaded for good: what it registers, and what it threw, is code of its own.
  void* object = open_object(file, RTLD_LAZY);
  check_abi(path, find_function<const char*()>(path, object, "mosim_plugin_abi")());
  auto* const add = find_function<void(PolicyRegistry&)>(path, object, "mosim_register");
  static_cast<void>(open_object(file, RTLD_NOW));
  register_policies(path, add);
  loaded.insert(file);
}

}  // namespace mosim
