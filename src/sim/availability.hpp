// When servers come and go: the events that the user lists, and seeded random failures.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "mosim/sim.hpp"

namespace mosim {

// What happens to a server now.
struct Outage {
  ServerId server{};
  bool accepting = true;  // takes jobs afterwards
  bool kills = false;     // its jobs stop
};

// Keeps for each server why it takes no jobs: a listed event, a random failure, or both. A listed
// `add` or `repair` ends both. Random failures go on in the background whatever the listed events
// do; every server has a stream of its own, so that one's failures never depend on another's.
class ServerClock {
 public:
  ServerClock(const Availability& availability, std::size_t servers);

  // Servers that are absent at first.
  [[nodiscard]] const std::vector<ServerId>& absent() const { return absent_; }

  // When the next event is; infinity when there is none.
  [[nodiscard]] double next_time() const;

  // Takes the next event, of which there is one, and adds what it does to `outages`.
  void take_next(std::vector<Outage>& outages);

  // Whether more servers than now may take jobs at some time to come.
  [[nodiscard]] bool may_help() const { return next_listed_ < listed_.size() || recoverable_ > 0; }
  // Servers that take no jobs.
  [[nodiscard]] std::size_t down() const { return down_; }

 private:
  struct Server {
    bool listed_down = false;
    bool broken = false;  // by a random failure
  };
  // The next failure or repair of a server.
  struct RandomEvent {
    double time_s = 0;
    std::uint32_t server = 0;
    bool repairs = false;  // whether it is a repair
  };

  void take_listed(std::vector<Outage>& outages);
  void take_random(std::vector<Outage>& outages);
  void set(ServerId server, const Server& to, bool kills, std::vector<Outage>& outages);
  [[nodiscard]] double draw(std::uint32_t server, double mean_s);

  std::vector<ServerEvent> listed_;  // by time
  std::size_t next_listed_ = 0;
  double mtbf_s_;
  double mttr_s_;
  std::vector<RandomStream> streams_;
  std::vector<RandomEvent> random_;  // a heap, the earliest first
  std::vector<Server> servers_;
  std::vector<ServerId> absent_;
  std::size_t recoverable_ = 0;  // servers that are down for a random failure only
  std::size_t down_ = 0;
};

}  // namespace mosim
