// Keeps characterizations on disk, so that one that takes long is made once.
//
// A cache is only ever a shortcut: what is missing, damaged or of another version is nothing, and
// what cannot be written is not kept. Any number of processes may use one folder at the same time.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "mosim/characterize.hpp"

namespace mosim {

class ProfileCache {
 public:
  // An empty `dir` caches nothing. Removes what killed writers left in `dir` over an hour ago.
  explicit ProfileCache(std::filesystem::path dir);

  // What was stored under this digest, to the bit; nothing unless its entry is whole. Throws
  // std::invalid_argument for what is not a digest.
  [[nodiscard]] std::optional<JobProfile> load(std::string_view digest) const;

  // Stores a profile under the digest of ALL it depends on (Hash128::hex), in place of what was
  // there; whether it is now there. `description` tells people what the entry is. Throws
  // std::invalid_argument for what is not a digest, and nothing else.
  bool store(std::string_view digest, const JobProfile& profile,
             std::string_view description) const;

 private:
  [[nodiscard]] std::filesystem::path entry(std::string_view digest) const;

  std::filesystem::path dir_;
};

}  // namespace mosim
