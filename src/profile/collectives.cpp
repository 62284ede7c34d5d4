#include "profile/collectives.hpp"

#include <algorithm>
#include <cmath>

namespace mosim {
namespace {

// A pass around a ring: size - 1 steps of bytes / size each. It is a reduce-scatter, and an
// all-gather; an all-reduce is both.
CollectiveCost ring_pass(double bytes, std::uint32_t size, double bandwidth, double delay) {
  const double steps = size - 1.0;
  const double sent = steps / size * bytes;
  return {steps * delay + sent / bandwidth, sent};
}

CollectiveCost ring_pass(double bytes, const GroupSpan& span) {
  return ring_pass(bytes, span.size, span.ring_bandwidth(), span.ring_delay());
}

// Two binary trees, each of half the bytes, up and down: full bandwidth, a logarithm of delays.
CollectiveCost tree_all_reduce(double bytes, const GroupSpan& span) {
  const double sent = 2 * (span.size - 1.0) / span.size * bytes;
  const double inside_steps = 2 * std::ceil(std::log2(std::max(1.0, double(span.per_server))));
  const double between_steps = 2 * std::ceil(std::log2(std::max(1.0, double(span.servers))));
  return {inside_steps * span.inside_delay + between_steps * span.between_delay +
              sent / span.ring_bandwidth(),
          sent};
}

// Reduce-scatter inside each server, all-reduce of each part between the servers, all-gather
// inside. The ranks of a server share its NIC in the middle.
CollectiveCost hierarchical_all_reduce(double bytes, const GroupSpan& span) {
  const CollectiveCost inside = ring_pass(bytes, span.per_server, span.inside, span.inside_delay);
  const CollectiveCost between = ring_pass(bytes / span.per_server, span.servers,
                                           span.between / span.per_server, span.between_delay);
  return {2 * (inside.seconds + between.seconds), 2 * (inside.sent + between.sent)};
}

// Every rank sends 1/size of its bytes to every other. What goes to other servers crosses the NIC
// with that of the server's other ranks.
CollectiveCost all_to_all(double bytes, const GroupSpan& span) {
  const double part = bytes / span.size;
  const double inside = part * (span.per_server - 1.0);
  const double outside = part * (span.size - double(span.per_server));
  const double inside_s = (span.per_server - 1.0) * span.inside_delay + inside / span.inside;
  if (span.servers == 1) return {inside_s, inside};
  const double outside_s = (span.size - double(span.per_server)) * span.between_delay +
                           outside * span.per_server / span.between;
  return {std::max(inside_s, outside_s), inside + outside};
}

}  // namespace

CollectiveCost collective_cost(Collective collective, AllReduce algorithm, double bytes,
                               const GroupSpan& span) {
  if (span.size < 2 || bytes <= 0) return {};
  switch (collective) {
    case Collective::all_reduce: {
      if (algorithm == AllReduce::tree) return tree_all_reduce(bytes, span);
      if (algorithm == AllReduce::hierarchical && span.servers > 1) {
        return hierarchical_all_reduce(bytes, span);
      }
      const CollectiveCost pass = ring_pass(bytes, span);
      return {2 * pass.seconds, 2 * pass.sent};
    }
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return ring_pass(bytes, span);
    case Collective::all_to_all:
      return all_to_all(bytes, span);
    case Collective::point_to_point:
      return {span.ring_delay() + bytes / span.ring_bandwidth(), bytes};
  }
  return {};
}

}  // namespace mosim
