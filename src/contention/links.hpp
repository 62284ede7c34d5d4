// The links of a cluster, what each job puts on them, and who uses them now.
#pragma once

#include <span>
#include <vector>

#include "contention/members.hpp"
#include "mosim/contention.hpp"
#include "mosim/fabric.hpp"

namespace mosim {

// What a job demands of a link, bytes per second in each direction that it uses.
struct Flow {
  std::uint32_t link = 0;
  double demand = 0;
};

// The flows of a placed job. The first `between` of them are between servers, the rest inside.
struct JobFlows {
  std::vector<Flow> flows;
  std::uint32_t between = 0;
};

// The links that can be shared: those of the fabric, then the insides of servers.
class Links {
 public:
  Links(const ClusterSpec& cluster, const ContentionSetting& setting);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(capacity_.size()); }
  // Bytes per second, each direction.
  [[nodiscard]] double capacity(std::uint32_t link) const { return capacity_[link]; }
  [[nodiscard]] static std::uint32_t nic(ServerId server) {
    return static_cast<std::uint32_t>(server);
  }
  // The most members of each link, but for jobs that share GPUs: a job has at least one GPU on each
  // of its servers.
  [[nodiscard]] const std::vector<std::uint32_t>& most_members() const { return most_members_; }

  [[nodiscard]] std::string name(std::uint32_t link) const;

  // The links that a job with this traffic uses, each once.
  [[nodiscard]] JobFlows flows_of(const JobTraffic& traffic) const;

 private:
  void add_ring(const JobTraffic& traffic, std::vector<Flow>& flows) const;

  Fabric fabric_;
  std::vector<double> capacity_;
  std::vector<std::uint32_t> most_members_;
};

// Who is on the links: the jobs that are placed there, and those of them that send now.
class LinkUse {
 public:
  LinkUse(const ClusterSpec& cluster, const ContentionSetting& setting);

  void place(JobIndex job, const JobTraffic& traffic);
  void remove(JobIndex job);
  void start_sending(std::uint32_t job);
  void stop_sending(std::uint32_t job);

  [[nodiscard]] const Links& links() const { return links_; }
  [[nodiscard]] const JobFlows& of(std::uint32_t job) const { return jobs_[job]; }
  [[nodiscard]] std::span<const Member> senders(std::uint32_t link) const {
    return sending_.of(link);
  }
  [[nodiscard]] std::span<const Member> placed(std::uint32_t link) const {
    return placed_.of(link);
  }
  // What is demanded of a link by those that send, and by all that are placed.
  [[nodiscard]] double sent(std::uint32_t link) const { return sent_[link]; }
  [[nodiscard]] double placed_demand(std::uint32_t link) const;
  [[nodiscard]] double nic_load(ServerId server) const;

  // The placed jobs that this one meets on links which they could fill together, directly or
  // through others; itself among them, in order. Valid until the next call.
  [[nodiscard]] std::span<const JobIndex> component(JobIndex job) const;
  // The same for a job with these flows that is not placed; itself not among them.
  [[nodiscard]] std::span<const JobIndex> met_by(std::span<const Flow> flows) const;

 private:
  [[nodiscard]] std::span<const JobIndex> spread() const;

  Links links_;
  MemberTable sending_;
  MemberTable placed_;
  std::vector<double> sent_;  // by link
  std::vector<JobFlows> jobs_;
  mutable ChangedJobs found_;
};

}  // namespace mosim
