// The format, from aliyun/aicb (workload_generator/SimAI_training_workload_generator.py, dump_file)
// and aliyun/SimAI (astra-sim/workload/Workload.cc, initialize_workload):
//
//   HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1
//       all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0           (one line)
//   2                                                                   the number of layers
//   name -1  FWD COMM SIZE  IG COMM SIZE  WG COMM SIZE  UPDATE          one line per layer
//
// FWD, IG and WG are the times of the forward pass, input gradient and weight gradient in
// nanoseconds, COMM the collective after each and SIZE its bytes. AICB writes every micro-batch of
// the iteration out, so nothing is repeated `ga` times, except the pipeline's transfers, which have
// no lines: SimAI counts 2 x vpp x ga of pp_comm bytes (Layer.cc, Expose_PP_time).
//
// A collective without a suffix is of the tensor-parallel group in FWD and IG and of the
// data-parallel one in WG; _EP and _DP_EP name the expert-parallel group and its data-parallel
// counterpart. dp = all_gpus / (tp x pp), dp_ep = dp / ep (Layer.cc, report). SIZE is the whole
// tensor: SimAI's time of an all-gather is (n-1)/n x SIZE over the bus bandwidth.
#include "profile/simai_workload.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "mosim/trace.hpp"
#include "profile/simai_text.hpp"

namespace mosim {
namespace {

constexpr std::string_view kExpected = "a workload file of SimAI";
constexpr std::string_view kPolicy = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
constexpr NumberRange kCount{1, kMostGpus, true};
constexpr NumberRange kLayers{1, 1e7, true};
constexpr NumberRange kNanoseconds{0, 1e18, true};
constexpr NumberRange kBytes{0, 1e18, true};
// SimAI reads an integer; AICB divides by tp and writes 1024.0.
constexpr NumberRange kPipelineBytes{0, 1e18, false};
constexpr NumberRange kNone{0, 0, true};
constexpr NumberRange kAny{-1e18, 1e18, true};

struct Header {
  double tp = 1, ep = 1, pp = 1, vpp = 1, ga = 1, gpus = 1, dp = 1;
  double pipeline_bytes = 0;
};

enum class Pass { forward, input_gradient, weight_gradient };

// How many times its size over (n-1)/n a rank sends in a ring of n.
struct Collective {
  std::string_view name;
  double rounds = 0;
};

constexpr std::array<Collective, 4> kCollectives{
    {{"ALLREDUCE", 2}, {"ALLGATHER", 1}, {"REDUCESCATTER", 1}, {"ALLTOALL", 1}}};

double header_value(const SimaiLines& lines, const std::vector<SimaiCell>& cells,
                    std::string_view key, const NumberRange& range, Problems& problems) {
  for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
    if (cells[i].text != key) continue;
    return lines.number(cells[i + 1], key.substr(0, key.size() - 1), range, problems);
  }
  problems.add(lines.line(), fmt::format("has no '{}' with a value", key),
               "the header that AICB writes");
  return range.minimum;
}

// Older versions of AICB write no colon after pp_comm.
double pipeline_bytes(const SimaiLines& lines, const std::vector<SimaiCell>& cells, double pp,
                      Problems& problems) {
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i].text != "pp_comm" && cells[i].text != "pp_comm:") continue;
    if (i + 1 == cells.size()) break;
    // Without a pipeline nothing can go from stage to stage.
    return lines.number(cells[i + 1], "pp_comm", pp > 1 ? kPipelineBytes : kNone, problems);
  }
  if (pp > 1) {
    problems.add(lines.line(), "has no 'pp_comm:' with a value",
                 "the bytes that a pipeline's stages send each other, as pp is above 1");
  }
  return 0;
}

Header read_header(SimaiLines& lines) {
  if (!lines.next()) throw InputError(lines.line(), "is empty", std::string(kExpected));
  const std::vector<SimaiCell> cells = lines.between_blanks();
  if (cells.front().text != kPolicy) {
    throw InputError(lines.where(cells.front()),
                     fmt::format("begins with '{}'", cells.front().text),
                     fmt::format("{}: {}", kExpected, kPolicy));
  }
  Problems problems;
  const auto value = [&](std::string_view key, const NumberRange& range) {
    return header_value(lines, cells, key, range, problems);
  };
  Header header;
  header.tp = value("model_parallel_NPU_group:", kCount);
  header.ep = value("ep:", kCount);
  header.pp = value("pp:", kCount);
  header.vpp = value("vpp:", kCount);
  header.ga = value("ga:", kCount);
  header.gpus = value("all_gpus:", kCount);
  // With checkpoints forward passes are run again; AICB writes none, and doubles times instead.
  (void)value("checkpoints:", kNone);
  (void)value("checkpoint_initiates:", kNone);
  header.pipeline_bytes = pipeline_bytes(lines, cells, header.pp, problems);
  problems.throw_if_any();
  header.dp = header.gpus / (header.tp * header.pp);
  if (std::floor(header.dp) != header.dp) {
    throw InputError(
        lines.line(), fmt::format("all_gpus is {}", header.gpus),
        fmt::format("a multiple of {}, the tensor-parallel group times pp", header.tp * header.pp));
  }
  return header;
}

std::size_t read_layer_count(SimaiLines& lines) {
  if (!lines.next()) throw InputError(lines.line(), "ends after its header", "a number of layers");
  const std::vector<SimaiCell> cells = lines.between_blanks();
  if (cells.size() != 1) {
    throw InputError(lines.line(), fmt::format("has {} fields", cells.size()),
                     "the number of layers alone");
  }
  Problems problems;
  const double count = lines.number(cells.front(), "the number of layers", kLayers, problems);
  problems.throw_if_any();
  return static_cast<std::size_t>(count);
}

double group_size(const Header& header, std::string_view suffix, Pass pass) {
  if (suffix == "_EP") return header.ep;
  if (suffix == "_DP_EP") return header.dp / header.ep;
  return pass == Pass::weight_gradient ? header.dp : header.tp;
}

// Bytes that a rank sends in the collective `type` over `size` bytes.
double sent(const SimaiLines& lines, const Header& header, const SimaiCell& type, double size,
            Pass pass, Problems& problems) {
  // SimAI gives a broadcast no time, so it must have no volume either.
  if (type.text == "NONE" || type.text == "BROADCAST") return 0;
  for (const Collective& collective : kCollectives) {
    if (!type.text.starts_with(collective.name)) continue;
    const std::string_view suffix = type.text.substr(collective.name.size());
    if (!suffix.empty() && suffix != "_EP" && suffix != "_DP_EP") break;
    const double ranks = group_size(header, suffix, pass);
    if (std::floor(ranks) == ranks) return collective.rounds * (ranks - 1) / ranks * size;
    problems.add(lines.where(type),
                 fmt::format("'{}' needs dp / ep ranks, which is {}", type.text, ranks),
                 "an ep that divides dp = all_gpus / (model_parallel_NPU_group x pp)");
    return 0;
  }
  problems.add(lines.where(type), fmt::format("the collective is '{}'", type.text),
               "NONE, BROADCAST, or ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL with nothing, "
               "_EP or _DP_EP after it");
  return 0;
}

// Adds the current line to `workload`.
void read_layer(const SimaiLines& lines, const Header& header, SimaiWorkload& workload,
                Problems& problems) {
  constexpr std::size_t kFields = 12;
  const std::vector<SimaiCell> cells = lines.between_blanks();
  if (cells.size() != kFields) {
    problems.add(lines.line(), fmt::format("has {} fields", cells.size()),
                 fmt::format("the {} of a layer", kFields));
    return;
  }
  const auto pass = [&](std::size_t at, std::string_view name, Pass kind) {
    const double time = lines.number(cells[at], name, kNanoseconds, problems);
    const double size = lines.number(cells[at + 2], "the collective's size", kBytes, problems);
    workload.volume += sent(lines, header, cells[at + 1], size, kind, problems);
    return time * 1e-3;
  };
  SimaiLayer layer;
  layer.name = cells[0].text;
  (void)lines.number(cells[1], "the dependency", kAny, problems);
  layer.forward_us = pass(2, "the forward time", Pass::forward);
  layer.input_gradient_us = pass(5, "the input gradient's time", Pass::input_gradient);
  layer.weight_gradient_us = pass(8, "the weight gradient's time", Pass::weight_gradient);
  (void)lines.number(cells[11], "the update time", kNanoseconds, problems);
  workload.layers.push_back(std::move(layer));
}

}  // namespace

SimaiWorkload read_simai_workload(const std::string& path) {
  SimaiLines lines(path, kExpected);
  const Header header = read_header(lines);
  const std::size_t count = read_layer_count(lines);
  SimaiWorkload workload;
  workload.gpus = static_cast<std::uint32_t>(header.gpus);
  workload.volume = 2 * header.vpp * header.ga * header.pipeline_bytes;
  Problems problems;
  std::size_t read = 0;
  for (; lines.next(); ++read) {
    if (read == count) {
      throw InputError(lines.line(), "is a line after the last layer",
                       fmt::format("{} layers, as the second line says", count));
    }
    read_layer(lines, header, workload, problems);
  }
  problems.throw_if_any();
  if (read != count) {
    throw InputError(lines.line(), fmt::format("ends after {} layers", read),
                     fmt::format("{}, as the second line says", count));
  }
  return workload;
}

}  // namespace mosim
