// The text workload that AICB writes and SimAI simulates: an iteration's layers and collectives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mosim {

// What a layer computes, in microseconds.
struct SimaiLayer {
  std::string name;
  double forward_us = 0;
  double input_gradient_us = 0;
  double weight_gradient_us = 0;
};

struct SimaiWorkload {
  std::uint32_t gpus = 0;
  std::vector<SimaiLayer> layers;
  double volume = 0;  // bytes that a rank sends per iteration
};

// Throws InputError with the place of what is wrong. The format is described in the source file.
[[nodiscard]] SimaiWorkload read_simai_workload(const std::string& path);

}  // namespace mosim
