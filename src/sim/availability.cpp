#include "sim/availability.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/fixed_math.hpp"

namespace mosim {
namespace {

// For a heap whose front is the earliest; at one time the first server.
constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.time_s != b.time_s ? a.time_s > b.time_s : a.server > b.server;
};

}  // namespace

ServerClock::ServerClock(const Availability& availability, std::size_t servers)
    : listed_(availability.events),
      mtbf_s_(availability.mtbf_s),
      mttr_s_(availability.mttr_s),
      servers_(availability.any() ? servers : 0) {
  std::stable_sort(listed_.begin(), listed_.end(),
                   [](const auto& a, const auto& b) { return a.time_s < b.time_s; });
  std::vector<bool> seen(servers_.size());
  for (const ServerEvent& event : listed_) {
    for (std::size_t server = index(event.first); server <= index(event.last); ++server) {
      if (!seen.at(server) && event.change == ServerChange::add) {
        servers_[server].listed_down = true;
        absent_.push_back(ServerId{static_cast<std::uint32_t>(server)});
      }
      seen[server] = true;
    }
  }
  down_ = absent_.size();
  if (mtbf_s_ <= 0) return;
  for (std::uint32_t server = 0; server < servers; ++server) {
    streams_.emplace_back(availability.seed, fmt::format("failures of server {}", server));
    random_.push_back({draw(server, mtbf_s_), server});
  }
  std::make_heap(random_.begin(), random_.end(), kLater);
}

double ServerClock::next_time() const {
  double next = std::numeric_limits<double>::infinity();
  if (next_listed_ < listed_.size()) next = listed_[next_listed_].time_s;
  if (!random_.empty()) next = std::min(next, random_.front().time_s);
  return next;
}

void ServerClock::take_next(std::vector<Outage>& outages) {
  const bool listed = next_listed_ < listed_.size() &&
                      (random_.empty() || listed_[next_listed_].time_s <= random_.front().time_s);
  if (listed) {
    take_listed(outages);
  } else {
    take_random(outages);
  }
}

void ServerClock::take_listed(std::vector<Outage>& outages) {
  const ServerEvent& event = listed_[next_listed_++];
  const bool down = event.change == ServerChange::drain || event.change == ServerChange::fail;
  for (std::size_t at = index(event.first); at <= index(event.last); ++at) {
    const ServerId server{static_cast<std::uint32_t>(at)};
    const Server to{down, down && servers_[at].broken};
    set(server, to, event.change == ServerChange::fail, outages);
  }
}

void ServerClock::take_random(std::vector<Outage>& outages) {
  std::pop_heap(random_.begin(), random_.end(), kLater);
  RandomEvent& event = random_.back();
  Server to = servers_[event.server];
  // Failures and repairs take turns, also when a listed repair came in between: then this one finds
  // nothing to repair.
  event.repairs = !event.repairs;
  to.broken = event.repairs;
  set(ServerId{event.server}, to, to.broken, outages);
  event.time_s += draw(event.server, to.broken ? mttr_s_ : mtbf_s_);
  std::push_heap(random_.begin(), random_.end(), kLater);
}

void ServerClock::set(ServerId server, const Server& to, bool kills, std::vector<Outage>& outages) {
  Server& is = servers_[index(server)];
  const bool was_down = is.listed_down || is.broken;
  const bool down = to.listed_down || to.broken;
  recoverable_ -= is.broken && !is.listed_down ? 1 : 0;
  recoverable_ += to.broken && !to.listed_down ? 1 : 0;
  if (down != was_down) down_ = down ? down_ + 1 : down_ - 1;
  is = to;
  if (down != was_down || kills) outages.push_back({server, !down, kills});
}

// Exponential with this mean, by inversion.
double ServerClock::draw(std::uint32_t server, double mean_s) {
  return -fixed_log(1 - streams_[server].uniform()) * mean_s;
}

}  // namespace mosim
