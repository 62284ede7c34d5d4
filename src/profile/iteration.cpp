#include "profile/iteration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mosim {
namespace {

// Appends computations and collectives; what is computed without a collective between is one node.
class TraceBuilder {
 public:
  void compute(const std::string& name, double seconds) {
    if (pending_s_ == 0) pending_name_ = name;
    pending_s_ += seconds;
  }

  // A collective that starts when all computed so far is done (and `after` too).
  std::uint32_t collective(std::string name, Collective kind, Communicator group, double bytes,
                           std::vector<std::uint32_t> after = {}) {
    flush();
    if (last_compute_) after.push_back(*last_compute_);
    after.insert(after.end(), waits_.begin(), waits_.end());  // nothing was computed since
    return add({std::move(name), 0, kind, bytes, std::move(after), group});
  }

  // One that waits for nothing but `after`.
  std::uint32_t early_collective(std::string name, Collective kind, Communicator group,
                                 double bytes, std::vector<std::uint32_t> after) {
    flush();
    return add({std::move(name), 0, kind, bytes, std::move(after), group});
  }

  // What is computed from now on waits for the node.
  void wait_for(std::uint32_t node) {
    flush();
    waits_.push_back(node);
  }

  [[nodiscard]] std::optional<std::uint32_t> last_compute() {
    flush();
    return last_compute_;
  }

  IterationTrace take(std::uint32_t ranks) {
    flush();
    return {std::move(nodes_), ranks};
  }

 private:
  std::uint32_t add(TraceNode node) {
    nodes_.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  void flush() {
    if (pending_s_ == 0) return;
    std::vector<std::uint32_t> after = std::move(waits_);
    waits_.clear();
    if (last_compute_) after.push_back(*last_compute_);
    last_compute_ = add({pending_name_, pending_s_, std::nullopt, 0, std::move(after)});
    pending_s_ = 0;
  }

  std::vector<TraceNode> nodes_;
  std::string pending_name_;
  double pending_s_ = 0;
  std::vector<std::uint32_t> waits_;
  std::optional<std::uint32_t> last_compute_;
};

// Weights that ZeRO 3 gathers together: a transformer block, or neighbours of about a bucket.
struct Unit {
  std::size_t begin = 0;
  std::size_t end = 0;
  double bytes = 0;
  double expert_bytes = 0;  // of experts, which fewer ranks divide
};

class IterationBuilder {
 public:
  explicit IterationBuilder(const IterationPlan& plan) : plan_(plan) {}

  IterationTrace build() {
    if (plan_.parallelism.zero == 3) find_units();
    forward();
    backward();
    if (plan_.synchronize) update();
    return trace_.take(plan_.replicas * plan_.parallelism.tensor * plan_.parallelism.pipeline);
  }

 private:
  [[nodiscard]] double gradient_bytes(const Operator& op) const {
    return parameters_on_rank(op, plan_.parallelism) * plan_.width;
  }

  void find_units() {
    Unit unit;
    for (std::size_t i = 0; i < plan_.operators.size(); ++i) {
      const Operator& op = plan_.operators[i];
      const bool other_block = i > 0 && op.block != plan_.operators[i - 1].block;
      const bool full = op.block < 0 && unit.bytes + unit.expert_bytes >= plan_.bucket;
      if (i > unit.begin && (other_block || full)) {
        unit.end = i;
        units_.push_back(std::exchange(unit, {i}));
      }
      (op.expert ? unit.expert_bytes : unit.bytes) += gradient_bytes(op);
    }
    unit.end = plan_.operators.size();
    units_.push_back(unit);
  }

  // Exchanges that the pass waits for.
  void exchange(const Operator& op, const char* what, Collective kind, Communicator group,
                double elements) {
    if (elements <= 0) return;
    const std::uint32_t ranks =
        group == Communicator::tensor ? plan_.parallelism.tensor : plan_.parallelism.expert;
    if (ranks < 2) return;
    trace_.wait_for(trace_.collective(fmt::format("{}.{}", op.name, what), kind, group,
                                      elements * plan_.samples * plan_.width));
  }

  // Gathers a unit's weights when the unit before it starts to compute.
  void gather(const Unit& unit, const char* pass) {
    std::vector<std::uint32_t> after;
    if (const auto last = trace_.last_compute()) after.push_back(*last);
    const auto add = [&](double bytes, Communicator group) {
      if (bytes <= 0) return;
      gathered_.push_back(trace_.early_collective(
          fmt::format("{}.{}.gather", plan_.operators[unit.begin].name, pass),
          Collective::all_gather, group, bytes, after));
    };
    add(unit.bytes, Communicator::data);
    add(unit.expert_bytes, Communicator::expert_data);
  }

  void wait_for_gathered() {
    for (const std::uint32_t node : gathered_) trace_.wait_for(node);
    gathered_.clear();
  }

  void forward_of(const Operator& op, const OperatorTime& time, const char* pass) {
    exchange(op, "dispatch", Collective::all_to_all, Communicator::expert, op.exchange.dispatch);
    trace_.compute(fmt::format("{}.{}", op.name, pass), time.forward_s);
    exchange(op, "combine", Collective::all_to_all, Communicator::expert, op.exchange.combine);
    exchange(op, "sum", Collective::all_reduce, Communicator::tensor, op.exchange.output_sum);
  }

  void forward() {
    std::size_t unit = 0;
    if (!units_.empty()) gather(units_.front(), "forward");
    for (std::size_t i = 0; i < plan_.operators.size(); ++i) {
      if (unit < units_.size() && units_[unit].begin == i) {
        wait_for_gathered();
        if (++unit < units_.size()) gather(units_[unit], "forward");
      }
      forward_of(plan_.operators[i], plan_.times[i], "forward");
    }
  }

  void backward_of(const Operator& op, const OperatorTime& time) {
    exchange(op, "combine.gradient", Collective::all_to_all, Communicator::expert,
             op.exchange.combine);
    trace_.compute(op.name + ".backward", time.backward_input_s);
    const bool sums = op.exchange.gradient_sum > 0 && plan_.parallelism.tensor > 1;
    std::uint32_t sum = 0;
    if (sums) {
      sum =
          trace_.collective(op.name + ".gradient.sum", Collective::all_reduce, Communicator::tensor,
                            op.exchange.gradient_sum * plan_.samples * plan_.width);
    }
    trace_.compute(op.name + ".weights", time.backward_weight_s);
    if (sums) trace_.wait_for(sum);  // the gradient of the weights needs no sum
    exchange(op, "dispatch.gradient", Collective::all_to_all, Communicator::expert,
             op.exchange.dispatch);
  }

  // Runs a block's forward pass again before its backward pass.
  void recompute(std::size_t last) {
    std::size_t first = last;
    while (first > 0 && plan_.operators[first - 1].block == plan_.operators[last].block) --first;
    for (std::size_t i = first; i <= last; ++i) {
      forward_of(plan_.operators[i], plan_.times[i], "recompute");
    }
  }

  [[nodiscard]] bool ends_block(std::size_t i) const {
    const std::size_t count = plan_.operators.size();
    const std::int32_t block = plan_.operators[i].block;
    return block >= 0 && block < plan_.blocks &&
           (i + 1 == count || plan_.operators[i + 1].block != block);
  }

  void backward() {
    std::size_t unit = units_.size();
    for (std::size_t i = plan_.operators.size(); i-- > 0;) {
      // The last unit is still there from the forward pass.
      if (unit > 0 && units_[unit - 1].end == i + 1) {
        wait_for_gathered();
        if (--unit > 0) gather(units_[unit - 1], "backward");
      }
      if (plan_.parallelism.recompute && ends_block(i)) recompute(i);
      backward_of(plan_.operators[i], plan_.times[i]);
      if (plan_.synchronize) collect(plan_.operators[i], i == 0);
    }
  }

  // Adds an operator's gradients to their bucket, and sends what is full.
  void collect(const Operator& op, bool last) {
    double& bucket = op.expert ? expert_bucket_ : data_bucket_;
    bucket += gradient_bytes(op);
    if (data_bucket_ >= plan_.bucket || last) send(data_bucket_, Communicator::data);
    if (expert_bucket_ >= plan_.bucket || last) send(expert_bucket_, Communicator::expert_data);
  }

  void send(double& bucket, Communicator group) {
    const std::uint32_t ranks =
        group == Communicator::data ? plan_.replicas : plan_.replicas / plan_.parallelism.expert;
    if (bucket > 0 && ranks > 1) {
      const bool scatter = plan_.parallelism.zero > 0;
      reduced_.push_back(trace_.collective(
          fmt::format("gradients{}", reduced_.size()),
          scatter ? Collective::reduce_scatter : Collective::all_reduce, group, bucket));
      (group == Communicator::data ? data_bytes_ : expert_bytes_) += bucket;
      if (!plan_.overlap) trace_.wait_for(reduced_.back());
    }
    bucket = 0;
  }

  void update() {
    for (const std::uint32_t node : reduced_) trace_.wait_for(node);
    trace_.compute("optimizer", plan_.optimizer_s);
    const std::uint32_t zero = plan_.parallelism.zero;
    if (zero != 1 && zero != 2) return;
    const auto gather_weights = [&](double bytes, Communicator group) {
      if (bytes > 0) trace_.collective("weights.gather", Collective::all_gather, group, bytes);
    };
    gather_weights(data_bytes_, Communicator::data);
    gather_weights(expert_bytes_, Communicator::expert_data);
  }

  const IterationPlan& plan_;
  TraceBuilder trace_;
  std::vector<Unit> units_;              // none unless ZeRO 3
  std::vector<std::uint32_t> gathered_;  // of the next unit
  double data_bucket_ = 0;
  double expert_bucket_ = 0;
  double data_bytes_ = 0;
  double expert_bytes_ = 0;
  std::vector<std::uint32_t> reduced_;
};

}  // namespace

IterationTrace build_iteration(const IterationPlan& plan) { return IterationBuilder(plan).build(); }

Played play(const IterationTrace& trace, const PlaySetting& setting) {
  Played played;
  double compute_free_s = 0;
  double network_free_s = 0;
  std::vector<double> end_s(trace.nodes.size());
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    const TraceNode& node = trace.nodes[i];
    double start_s = node.collective ? network_free_s : compute_free_s;
    for (const std::uint32_t before : node.after) start_s = std::max(start_s, end_s[before]);
    if (node.collective) {
      const GroupSpan& span = setting.spans[static_cast<std::size_t>(node.group)];
      const CollectiveCost cost =
          collective_cost(*node.collective, setting.algorithm, node.bytes, span);
      network_free_s = end_s[i] = start_s + cost.seconds;
      played.network_s += cost.seconds;
      played.transfers.push_back({node.name, *node.collective, node.group, span.size, node.bytes,
                                  cost.sent, start_s, end_s[i], 1});
    } else {
      compute_free_s = end_s[i] = start_s + node.compute_s;
      played.compute_s += node.compute_s;
    }
    played.makespan_s = std::max(played.makespan_s, end_s[i]);
  }
  return played;
}

}  // namespace mosim
