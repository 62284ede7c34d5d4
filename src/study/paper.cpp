#include "study/paper.hpp"

namespace mosim {
namespace {

struct PaperRow {
  std::string_view testbed, placement, method;
  Fidelity cells;
};

constexpr double kNone = kNotPrinted;

const PaperRow kPaperRows[] = {
    // Table II: average training time, average JCT, (median not printed), P99 JCT, makespan
    {"16gpu", "load-balancing", "Tiresias", {58.71, 73.64, kNone, 67.19, 47.51, kNone, kNone}},
    {"16gpu", "load-balancing", "Pollux", {56.92, 72.23, kNone, 65.31, 46.42, kNone, kNone}},
    // Table III: average training time, average JCT, median, P99, makespan; Table IV: KS,
    // Wasserstein
    {"32gpu", "bin-packing", "Tiresias", {38.19, 36.38, 34.98, 50.42, 53.45, 0.32, 3499}},
    {"32gpu", "bin-packing", "Pollux", {35.30, 33.00, 31.83, 48.46, 51.08, 0.27, 3184}},
    {"32gpu", "bin-packing", "MoSim", {19.74, 11.10, 1.62, 24.84, 17.61, 0.13, 1579}},
    {"32gpu", "load-balancing", "Tiresias", {56.75, 53.93, 54.20, 65.28, 65.44, 0.38, 7082}},
    {"32gpu", "load-balancing", "Pollux", {54.72, 51.42, 51.86, 63.89, 63.64, 0.37, 6753}},
    {"32gpu", "load-balancing", "MoSim", {17.05, 21.83, 19.60, 8.38, 7.72, 0.22, 2864}},
};

}  // namespace

std::optional<Fidelity> paper_row(std::string_view testbed, std::string_view placement,
                                  std::string_view method) {
  for (const PaperRow& row : kPaperRows) {
    if (row.testbed == testbed && row.placement == placement && row.method == method) {
      return row.cells;
    }
  }
  return std::nullopt;
}

}  // namespace mosim
