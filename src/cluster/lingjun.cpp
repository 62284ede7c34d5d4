#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "cluster/formats.hpp"

namespace mosim {
namespace {

// A switch such as "P10": P2 comes before P10.
struct Switch {
  std::string name;

  [[nodiscard]] std::tuple<std::string_view, double, std::string_view> order() const {
    const std::string_view all = name;
    const std::string_view letters =
        all.substr(0, std::min(all.find_first_of("0123456789"), all.size()));
    return {letters, parse_double(all.substr(letters.size())).value_or(0), all};
  }
  friend bool operator<(const Switch& a, const Switch& b) { return a.order() < b.order(); }
};

using Rack = std::array<Switch, 3>;  // the switches above its hosts, from the core down

}  // namespace

void read_lingjun_cluster(ClusterInput& input) {
  CsvReader& csv = input.csv;
  const std::size_t host = csv.require({"ip"});
  const std::array<std::size_t, 3> levels{csv.require({"DSW"}), csv.require({"PSW"}),
                                          csv.require({"ASW"})};
  std::set<std::string, std::less<>> hosts;
  std::map<Rack, std::uint32_t> racks;
  while (csv.next()) {
    if (!hosts.emplace(csv.field(host)).second) {
      input.problems.add(csv.where(host), "is a host that was listed before", "each host once");
    }
    Rack rack;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      rack[level].name = csv.field(levels[level]);
      if (!rack[level].name.empty()) continue;
      input.problems.add(csv.where(levels[level]),
                         fmt::format("{} is empty", csv.header()[levels[level]]),
                         "the name of a switch");
    }
    ++racks[rack];
  }
  input.cluster.notes.emplace_back(
      "the cluster file has the racks and pods; what their uplinks carry is for cluster.fabric to "
      "say");
  for (const auto& [rack, servers] : racks) {
    ServerGroup group = input.server;
    group.count = servers;
    group.servers_per_rack = servers;
    group.pod = fmt::format("{}/{}", rack[0].name, rack[1].name);
    input.cluster.spec.groups.push_back(std::move(group));
  }
}

}  // namespace mosim
