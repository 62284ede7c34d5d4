#include <algorithm>
#include <cmath>

#include "mosim/metrics.hpp"

namespace mosim {
namespace {

// Walks the values of both sorted samples in order; `visit(gap, width)` gets the difference of the
// CDFs from one value to the next, and the distance to that next value (0 at the last).
template <typename Visit>
void walk_cdfs(const std::vector<double>& a, const std::vector<double>& b, Visit&& visit) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const double value = j == b.size() || (i < a.size() && a[i] <= b[j]) ? a[i] : b[j];
    while (i < a.size() && a[i] <= value) ++i;
    while (j < b.size() && b[j] <= value) ++j;
    double next = value;
    if (i < a.size()) next = a[i];
    if (j < b.size() && (i == a.size() || b[j] < next)) next = b[j];
    const double gap = static_cast<double>(i) / static_cast<double>(a.size()) -
                       static_cast<double>(j) / static_cast<double>(b.size());
    visit(std::abs(gap), next - value);
  }
}

}  // namespace

double percentile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  return percentile_of_sorted(values, p);
}

double percentile_of_sorted(std::span<const double> values, double p) {
  if (values.empty()) return 0;
  const double rank = p / 100 * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(rank));
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (rank - std::floor(rank));
}

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  double total = 0;
  for (const double value : values) total += value;
  return total / static_cast<double>(values.size());
}

Distribution describe(const std::vector<double>& values) {
  return {mean(values), percentile(values, 50), percentile(values, 99)};
}

double ks_distance(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double largest = 0;
  walk_cdfs(a, b, [&](double gap, double) { largest = std::max(largest, gap); });
  return largest;
}

double wasserstein_distance(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double area = 0;
  walk_cdfs(a, b, [&](double gap, double width) { area += gap * width; });
  return area;
}

}  // namespace mosim
