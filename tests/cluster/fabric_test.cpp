#include "mosim/fabric.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mosim {
namespace {

using Names = std::vector<std::string>;

ServerGroup servers(std::uint32_t count, std::uint32_t per_rack, const std::string& pod = {}) {
  return {.count = count, .nic = 1e9, .servers_per_rack = per_rack, .pod = pod};
}

std::vector<std::uint32_t> ring(const Fabric& fabric, const std::vector<std::uint32_t>& servers,
                                std::uint64_t flow_key = 0) {
  std::vector<ServerId> ids;
  for (const std::uint32_t server : servers) ids.push_back(ServerId{server});
  std::vector<std::uint32_t> links;
  fabric.ring_links(ids, flow_key, links);
  return links;
}

Names ring_names(const Fabric& fabric, const std::vector<std::uint32_t>& servers,
                 std::uint64_t flow_key = 0) {
  Names names;
  for (const std::uint32_t link : ring(fabric, servers, flow_key)) {
    names.push_back(fabric.name(link));
  }
  return names;
}

std::map<std::string, double> capacities(const Fabric& fabric) {
  std::map<std::string, double> all;
  for (std::uint32_t link = 0; link < fabric.links(); ++link) {
    all[fabric.name(link)] = fabric.capacity(link);
  }
  return all;
}

TEST(Fabric, WithoutOneThereAreNicsOnly) {
  ServerGroup two_nics = servers(1, 1);
  two_nics.nics = 2;
  const Fabric fabric({{servers(2, 1), two_nics}});
  EXPECT_EQ(fabric.links(), 3U);
  EXPECT_FALSE(fabric.has_links_above_nics());
  EXPECT_EQ(fabric.capacity(0), 1e9);
  EXPECT_EQ(fabric.capacity(2), 2e9);
  EXPECT_EQ(fabric.name(2), "server 2 NIC");
  EXPECT_EQ(ring(fabric, {0, 1, 2}), std::vector<std::uint32_t>{});
}

// Racks {0, 1}, {2, 3}, {4}: NICs are 0 to 4, then 2 links a rack.
TEST(Fabric, ARackHasItsUplink) {
  const Fabric fabric({{servers(5, 2)}, {}, {.rack_uplinks = 1, .rack_oversubscription = 4}});
  EXPECT_EQ(fabric.links(), 11U);
  // 2 x 1e9 / 4 where there are two servers, 1e9 / 4 where there is one.
  EXPECT_EQ(fabric.capacity(5), 0.5e9);
  EXPECT_EQ(fabric.capacity(8), 0.5e9);
  EXPECT_EQ(fabric.capacity(10), 0.25e9);
  EXPECT_EQ(ring(fabric, {0, 1}), std::vector<std::uint32_t>{});
  EXPECT_EQ(ring(fabric, {3}), std::vector<std::uint32_t>{});
  EXPECT_EQ(ring(fabric, {}), std::vector<std::uint32_t>{});
  // The ring is 0, 1, 3, 4: from 1 to 3, from 3 to 4 and from 4 to 0 it leaves a rack.
  EXPECT_EQ(ring_names(fabric, {4, 1, 3, 0}),
            (Names{"rack 0 up 0", "rack 1 down 0", "rack 1 up 0", "rack 2 down 0", "rack 2 up 0",
                   "rack 0 down 0"}));
  EXPECT_EQ(ring(fabric, {4, 1, 3, 0}), (std::vector<std::uint32_t>{5, 8, 7, 10, 9, 6}));
}

// 3 racks of 4 servers; 4e9 / 2 on 4 spines is 0.5e9 each.
TEST(Fabric, LeafSpineKeepsToOneSpine) {
  const Fabric fabric({{servers(12, 4)}, {}, {.rack_uplinks = 4, .rack_oversubscription = 2}});
  EXPECT_EQ(fabric.links(), 12U + 3 * 4 * 2);
  EXPECT_EQ(fabric.capacity(12), 0.5e9);
  EXPECT_EQ(fabric.name(12 + 2 * (1 * 4 + 3) + 1), "rack 1 down 3");
  std::set<std::string> spines;
  for (std::uint64_t flow = 0; flow < 100; ++flow) {
    const Names names = ring_names(fabric, {0, 8}, flow);
    ASSERT_EQ(names.size(), 4U);
    EXPECT_EQ(names[0].substr(0, 10), "rack 0 up ");
    EXPECT_EQ(names[1], "rack 2 down " + names[0].substr(10));
    EXPECT_EQ(names[3], "rack 0 down " + names[2].substr(10));
    spines.insert(names[0]);
  }
  EXPECT_EQ(spines.size(), 4U);
}

// 2 pods of 2 racks of 2 servers. A rack's uplinks carry 2e9 / 2 = 1e9; a pod's 2 x 1e9 / 4 =
// 0.5e9.
ClusterSpec clos(std::uint32_t rack_uplinks, std::uint32_t pod_uplinks) {
  return {{servers(8, 2)},
          {},
          {.rack_uplinks = rack_uplinks,
           .rack_oversubscription = 2,
           .pod_racks = 2,
           .pod_uplinks = pod_uplinks,
           .pod_oversubscription = 4}};
}

TEST(Fabric, AClosHasThreeLevels) {
  const Fabric fabric(clos(1, 1));
  EXPECT_EQ(fabric.links(), 8U + 8 + 4);
  EXPECT_EQ(fabric.capacity(8), 1e9);
  EXPECT_EQ(fabric.capacity(16), 0.5e9);
  // Racks 0 and 1 are a pod: nothing crosses the cores.
  EXPECT_EQ(ring_names(fabric, {1, 2}),
            (Names{"rack 0 up 0", "rack 1 down 0", "rack 1 up 0", "rack 0 down 0"}));
  EXPECT_EQ(ring_names(fabric, {0, 2, 6}),
            (Names{"rack 0 up 0", "rack 1 down 0",                                       // 0 to 2
                   "rack 1 up 0", "pod 0 up 0/0", "pod 1 down 0/0", "rack 3 down 0",     // 2 to 6
                   "rack 3 up 0", "pod 1 up 0/0", "pod 0 down 0/0", "rack 0 down 0"}));  // to 0
}

TEST(Fabric, AClosStaysOnOneCoreSwitch) {
  const Fabric fabric(clos(2, 3));
  const std::map<std::string, double> all = capacities(fabric);
  EXPECT_EQ(all.size(), fabric.links());
  EXPECT_EQ(fabric.links(), 8U + 4 * 2 * 2 + 2 * 2 * 3 * 2);
  EXPECT_DOUBLE_EQ(all.at("rack 3 down 1"), 1e9 / 2);
  EXPECT_DOUBLE_EQ(all.at("pod 1 up 1/2"), 0.5e9 / (2 * 3));
  std::set<std::string> cores;
  for (std::uint64_t flow = 0; flow < 100; ++flow) {
    const Names names = ring_names(fabric, {0, 4}, flow);
    ASSERT_EQ(names.size(), 8U);
    const std::string u = names[0].substr(10);  // after "rack 0 up "
    const std::string core = names[1].substr(9);
    EXPECT_EQ(names[0], "rack 0 up " + u);
    EXPECT_EQ(core.substr(0, core.find('/')), u);
    EXPECT_EQ(names[1], "pod 0 up " + core);
    EXPECT_EQ(names[2], "pod 1 down " + core);
    EXPECT_EQ(names[3], "rack 2 down " + u);
    cores.insert(core);
  }
  EXPECT_EQ(cores.size(), 6U);
}

TEST(Fabric, ALevelWithoutUplinksHasNoLinks) {
  ClusterSpec spec = clos(0, 1);
  spec.fabric.rack_oversubscription = 100;  // of no uplinks: it does not count
  const Fabric pods_only(spec);
  EXPECT_EQ(pods_only.links(), 8U + 4);
  EXPECT_EQ(pods_only.capacity(8), 4e9 / 4);
  EXPECT_EQ(ring_names(pods_only, {0, 2}), Names{});
  EXPECT_EQ(ring_names(pods_only, {0, 4}),
            (Names{"pod 0 up 0/0", "pod 1 down 0/0", "pod 1 up 0/0", "pod 0 down 0/0"}));
  const Fabric racks_only(clos(1, 0));
  EXPECT_EQ(racks_only.links(), 8U + 8);
  EXPECT_EQ(ring_names(racks_only, {0, 4}),
            (Names{"rack 0 up 0", "rack 2 down 0", "rack 2 up 0", "rack 0 down 0"}));
}

// Racks 0 and 3 are in pod a, racks 1 and 2 in pod b: the ring visits a first.
TEST(Fabric, PodsMayBeNamedAndOfAnySize) {
  ClusterSpec spec = clos(1, 1);
  spec.fabric.pod_racks = 0;
  spec.groups = {servers(2, 2, "a"), servers(4, 2, "b"), servers(1, 1, "a")};
  EXPECT_EQ(spec.pod_names(), (Names{"a", "b"}));
  EXPECT_EQ(spec.pods_by_rack(), (std::vector<std::uint32_t>{0, 1, 1, 0}));
  const Fabric fabric(spec);
  const std::map<std::string, double> all = capacities(fabric);
  // Racks carry 1e9, 1e9, 1e9 and 0.5e9; a pod a quarter of its racks.
  EXPECT_DOUBLE_EQ(all.at("pod a up 0/0"), 1.5e9 / 4);
  EXPECT_DOUBLE_EQ(all.at("pod b down 0/0"), 2e9 / 4);
  EXPECT_EQ(ring_names(fabric, {0, 2, 6}),
            (Names{"rack 0 up 0", "rack 3 down 0",                                       // 0 to 6
                   "rack 3 up 0", "pod a up 0/0", "pod b down 0/0", "rack 1 down 0",     // 6 to 2
                   "rack 1 up 0", "pod b up 0/0", "pod a down 0/0", "rack 0 down 0"}));  // to 0
}

TEST(Fabric, EqualPodsHoldRacksThatFollowEachOther) {
  ClusterSpec spec{{servers(3, 1), servers(2, 1)}, {}, {.pod_racks = 2}};
  EXPECT_EQ(spec.pods_by_rack(), (std::vector<std::uint32_t>{0, 0, 1, 1, 2}));
  EXPECT_EQ(spec.pod_names(), (Names{"0", "1", "2"}));
  EXPECT_TRUE(spec.has_pods());
  spec.fabric.pod_racks = 0;
  EXPECT_EQ(spec.pods_by_rack(), (std::vector<std::uint32_t>{0, 0, 0, 0, 0}));
  EXPECT_FALSE(spec.has_pods());
}

TEST(Fabric, TheSeedAndTheFlowChooseTheUplinks) {
  ClusterSpec spec{{servers(64, 1)}, {}, {.rack_uplinks = 16}};
  const Fabric fabric(spec);
  spec.fabric.ecmp_seed = 2;
  const Fabric other(spec);
  const std::vector<std::uint32_t> some{3, 17, 40, 63};
  EXPECT_EQ(ring(fabric, some, 5), ring(fabric, some, 5));
  EXPECT_NE(ring(fabric, some, 5), ring(fabric, some, 6));
  EXPECT_NE(ring(fabric, some, 5), ring(other, some, 5));
}

// Results must be the same on every machine. With SplitMix64 from the state that follows
// FNV-1a(1, "ecmp") + FNV-1a(flow, 0, 4) steps, as the random streams have it, the first two
// numbers modulo 4 are u and v; worked out apart from the code.
TEST(Fabric, TheChoiceOfUplinksIsFixed) {
  const Fabric fabric(clos(4, 4));
  Names cores;
  for (std::uint64_t flow = 0; flow < 8; ++flow) {
    cores.push_back(ring_names(fabric, {0, 4}, flow)[1].substr(9));  // after "pod 0 up "
  }
  EXPECT_EQ(cores, (Names{"0/0", "1/0", "1/3", "0/2", "3/3", "2/3", "0/3", "0/0"}));
}

TEST(Fabric, RefusesMoreLinksThanItCanNumber) {
  ClusterSpec spec{{servers(1000000, 1)}, {}, {.rack_uplinks = 1024, .pod_racks = 1}};
  EXPECT_EQ(Fabric::count_links(spec), 1000000U + 2 * 1024 * 1000000ULL);
  spec.fabric.pod_uplinks = 1024;
  EXPECT_THROW(Fabric{spec}, std::invalid_argument);
}

ClusterSpec any_cluster() {
  ClusterSpec spec;
  const bool named = *rc::gen::arbitrary<bool>();
  const auto groups = *rc::gen::inRange(1U, 5U);
  for (std::uint32_t i = 0; i < groups; ++i) {
    const std::string pod = named ? std::string(1, *rc::gen::inRange('a', 'd')) : "";
    spec.groups.push_back(servers(*rc::gen::inRange(1U, 9U), *rc::gen::inRange(0U, 4U), pod));
  }
  spec.fabric = {.rack_uplinks = *rc::gen::inRange(0U, 4U),
                 .rack_oversubscription = *rc::gen::element(0.5, 1.0, 8.0),
                 .pod_racks = named ? 0 : *rc::gen::inRange(0U, 4U),
                 .pod_uplinks = *rc::gen::inRange(0U, 4U),
                 .pod_oversubscription = *rc::gen::element(1.0, 3.0),
                 .ecmp_seed = *rc::gen::arbitrary<std::uint64_t>()};
  return spec;
}

// How often a ring goes up from each rack or pod, and how often down to it, by their names.
using Crossings = std::map<std::string, int>;

Crossings crossings(const Fabric& fabric, const std::vector<std::uint32_t>& links) {
  Crossings found;
  for (const std::uint32_t link : links) {
    const std::string name = fabric.name(link);
    ++found[name.substr(0, name.rfind(' '))];  // without the number of the uplink
  }
  return found;
}

// A ring enters and leaves once each rack and each pod that has some but not all of its servers.
TEST(Fabric, RingsCrossOnlyBoundariesAndUpAsOftenAsDown) {
  rc::check([] {
    const ClusterSpec spec = any_cluster();
    const Fabric fabric(spec);
    const auto all = static_cast<std::uint32_t>(spec.servers());
    const auto chosen = *rc::gen::unique<std::vector<std::uint32_t>>(rc::gen::inRange(0U, all));
    const std::vector<std::uint32_t> racks = spec.racks_by_server();
    const std::vector<std::uint32_t> pods = spec.pods_by_rack();
    std::set<std::uint32_t> its_racks;
    std::set<std::uint32_t> its_pods;
    for (const std::uint32_t server : chosen) {
      its_racks.insert(racks[server]);
      its_pods.insert(pods[racks[server]]);
    }
    Crossings expected;
    const auto expect_both = [&](const std::string& of) {
      ++expected[of + " up"];
      ++expected[of + " down"];
    };
    for (const std::uint32_t rack : its_racks) {
      if (its_racks.size() > 1 && spec.fabric.rack_uplinks > 0) {
        expect_both("rack " + std::to_string(rack));
      }
    }
    for (const std::uint32_t pod : its_pods) {
      if (its_pods.size() > 1 && spec.fabric.pod_uplinks > 0) {
        expect_both("pod " + spec.pod_names()[pod]);
      }
    }
    const auto links = ring(fabric, chosen, 1);
    RC_ASSERT(std::ranges::all_of(links, [&](auto link) { return link < fabric.links(); }));
    RC_ASSERT(crossings(fabric, links) == expected);
  });
}

TEST(Fabric, TheOrderOfTheServersDoesNotMatterAndLinksAreAppended) {
  rc::check([] {
    const ClusterSpec spec = any_cluster();
    const Fabric fabric(spec);
    const auto all = static_cast<std::uint32_t>(spec.servers());
    auto chosen = *rc::gen::unique<std::vector<std::uint32_t>>(rc::gen::inRange(0U, all));
    auto links = ring(fabric, chosen, 9);
    std::ranges::sort(chosen);
    RC_ASSERT(ring(fabric, chosen, 9) == links);
    std::vector<ServerId> ids;
    for (const std::uint32_t server : chosen) ids.push_back(ServerId{server});
    std::vector<std::uint32_t> appended{42};
    fabric.ring_links(ids, 9, appended);
    links.insert(links.begin(), 42);
    RC_ASSERT(appended == links);
  });
}

// What the racks of a fabric can send in all is what their NICs can, over the oversubscription.
TEST(Fabric, UplinksTogetherCarryWhatOversubscriptionLeaves) {
  rc::check([] {
    const ClusterSpec spec = any_cluster();
    const Fabric fabric(spec);
    RC_ASSERT(fabric.links() == Fabric::count_links(spec));
    std::map<std::string, double> by_kind;
    for (const auto& [name, capacity] : capacities(fabric)) {
      const std::string kind = name.substr(0, name.find(' '));
      by_kind[name.find(" down ") == std::string::npos ? kind : kind + " down"] += capacity;
    }
    double expected = static_cast<double>(spec.servers()) * 1e9;
    const auto near = [&](const std::string& kind) {
      return std::abs(by_kind[kind] - expected) <= 1e-9 * expected;
    };
    RC_ASSERT(near("server"));
    if (spec.fabric.rack_uplinks > 0) {
      expected /= spec.fabric.rack_oversubscription;
      RC_ASSERT(near("rack") && near("rack down"));
    }
    if (spec.fabric.pod_uplinks > 0) {
      expected /= spec.fabric.pod_oversubscription;
      RC_ASSERT(near("pod") && near("pod down"));
    }
  });
}

}  // namespace
}  // namespace mosim
