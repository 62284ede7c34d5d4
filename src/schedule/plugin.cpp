#include "schedule/plugin.hpp"

#include "mosim/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

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
  const std::size_t size = source->read(magic.data(), magic.size());
  if (std::string_view(magic.data(), size) == "\177ELF") return;
  refuse(path, "is no shared object", "a plugin, such as libmypolicy.so");
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

// Where MoSim is a module of another program, such as Python: plugins find its functions.
void offer_own_symbols() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&offer_own_symbols), &self) == 0) return;
  ::dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

// With everything that it needs. One that needs what this program does not have may say what it was
// built for, if its functions are looked for only when they are called.
void* open_object(const std::string& path) {
  offer_own_symbols();
  void* object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object != nullptr) return object;
  const char* error = ::dlerror();
  const std::string reason = error == nullptr ? "no reason given" : error;
  object = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (object != nullptr) {
    check_abi(path, find_function<const char*()>(path, object, "mosim_plugin_abi")());
  }
  refuse(path, "cannot be loaded: " + reason, std::string(kExpected));
}

// What a plugin throws, which is being handled, becomes RunError that names it.
[[noreturn]] void fail(std::string_view whose) {
  try {
    throw;
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
    try {
      return placement_->place(servers, query, groups);
    } catch (...) {
      fail(whose_);
    }
  }
  [[nodiscard]] std::uint32_t kind_of(const PlacementQuery& query) const override {
    try {
      return placement_->kind_of(query);
    } catch (...) {
      fail(whose_);
    }
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
    std::unique_ptr<Made> made;
    try {
      made = make(setup);
    } catch (const std::invalid_argument&) {
      throw;  // it does not like a parameter
    } catch (...) {
      fail(whose);
    }
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
  void* object = open_object(file);
  check_abi(path, find_function<const char*()>(path, object, "mosim_plugin_abi")());
  register_policies(path, find_function<void(PolicyRegistry&)>(path, object, "mosim_register"));
  loaded.insert(file);
}

}  // namespace mosim
