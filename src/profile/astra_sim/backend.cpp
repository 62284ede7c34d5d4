#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "mosim/characterize.hpp"
#include "profile/astra_sim/astra_sim.hpp"
#include "profile/cache.hpp"
#include "profile/iteration.hpp"

namespace mosim {
namespace {

// Changes when the same inputs would give another profile.
constexpr std::uint64_t kRevision = 1;

// One all-reduce of each bucket in each iteration, and one pass: what is handed over.
bool plain_data_parallel(const Parallelism& parallelism) {
  return parallelism.whole_model_per_gpu() && parallelism.zero == 0 &&
         parallelism.micro_batches == 1;
}

// Inside a server each GPU has its link; between servers a GPU has its part of the NIC.
std::vector<AstraSimOptions::Dimension> dimensions_of(const RankLayout& layout) {
  std::vector<AstraSimOptions::Dimension> dimensions;
  if (layout.per_server > 1) {
    dimensions.push_back({layout.per_server, layout.inside, layout.inside_delay});
  }
  if (layout.servers > 1) {
    dimensions.push_back(
        {layout.servers, layout.between / layout.per_server, layout.between_delay});
  }
  return dimensions;
}

void add_trace(Hash128& hash, const IterationTrace& trace) {
  hash.add(std::uint64_t{trace.ranks});
  hash.add(std::uint64_t{trace.nodes.size()});
  for (const TraceNode& node : trace.nodes) {
    hash.add(node.name);
    hash.add(node.compute_s);
    hash.add(node.collective ? static_cast<std::uint64_t>(*node.collective) + 1 : 0);
    hash.add(node.bytes);
    hash.add(std::uint64_t{node.after.size()});
    for (const std::uint32_t before : node.after) hash.add(std::uint64_t{before});
  }
}

class AstraSimProfiles : public ProfileSource {
 public:
  AstraSimProfiles(ModelPool pool, ClusterSpec cluster, BuiltinOptions options,
                   AstraSimBackend backend)
      : pool_(std::move(pool)),
        cluster_(std::move(cluster)),
        options_(options),
        backend_(std::move(backend)),
        cache_(backend_.cache_dir) {
    Hash128 hash;
    hash.add(read_file(backend_.binary, "the ASTRA-sim binary"));
    binary_digest_ = hash.hex();
  }

  std::optional<JobProfile> find(const std::string& model, std::uint32_t gpus) const override {
    const ModelConfig* config = pool_.find(model);
    if (config == nullptr || !plain_data_parallel(config->parallelism) ||
        unfit(*config, gpus, cluster_)) {
      return std::nullopt;
    }
    const IterationTrace trace = data_parallel_iteration(*config, gpus, cluster_, options_);
    const RankLayout layout = lay_out(gpus, cluster_, options_.layout);
    AstraSimOptions options;
    options.binary = backend_.binary;
    options.congestion_aware = backend_.congestion_aware;
    options.timeout_s = backend_.time_limit_s;
    options.dimensions = dimensions_of(layout);
    const std::string digest = digest_of(trace, options);
    if (const auto kept = cache_.load(digest)) return kept;
    JobProfile profile = profile_of(run_astra_sim(trace, options), trace, layout);
    cache_.store(digest, profile, fmt::format("{} on {} GPUs, astra-sim", config->name, gpus));
    return profile;
  }

  std::string expected(const std::string& model) const override {
    const ModelConfig* config = pool_.find(model);
    if (config != nullptr && !plain_data_parallel(config->parallelism)) {
      return "a model that is data-parallel only, with one micro-batch, for backend astra-sim";
    }
    return BuiltinProfiles(pool_, cluster_, options_).expected(model);
  }

  std::optional<std::string> warning(const std::string& model, std::uint32_t gpus) const override {
    return BuiltinProfiles(pool_, cluster_, options_).warning(model, gpus);
  }

 private:
  // Of all that the profile depends on.
  [[nodiscard]] std::string digest_of(const IterationTrace& trace,
                                      const AstraSimOptions& options) const {
    Hash128 hash;
    hash.add(kRevision);
    hash.add(binary_digest_);
    hash.add(std::uint64_t{options.congestion_aware});
    hash.add(std::uint64_t{options.active_chunks});
    hash.add(std::uint64_t{options.dataset_splits});
    hash.add(options.endpoint_delay_ns);
    hash.add(options.local_mem_bw);
    for (const AstraSimOptions::Dimension& dimension : options.dimensions) {
      hash.add(std::uint64_t{dimension.npus});
      hash.add(dimension.bandwidth);
      hash.add(dimension.latency_s);
    }
    hash.add(static_cast<std::uint64_t>(options_.networking));
    add_trace(hash, trace);
    return hash.hex();
  }

  // As backend `builtin`: with all networking time, computing is what goes on without it.
  [[nodiscard]] JobProfile profile_of(const AstraSimResult& result, const IterationTrace& trace,
                                      const RankLayout& layout) const {
    JobProfile profile;
    const bool total = options_.networking == Networking::total;
    profile.network_s =
        static_cast<double>(total ? result.communication_ns : result.exposed_ns) * 1e-9;
    profile.compute_s =
        std::max(0.0, static_cast<double>(result.wall_ns) * 1e-9 - profile.network_s);
    const GroupSpan span = span_of({trace.ranks, 1}, layout);
    for (const TraceNode& node : trace.nodes) {
      if (!node.collective) continue;
      profile.volume += collective_cost(*node.collective, AllReduce::ring, node.bytes, span).sent;
    }
    return profile;
  }

  ModelPool pool_;
  ClusterSpec cluster_;
  BuiltinOptions options_;
  AstraSimBackend backend_;
  ProfileCache cache_;
  std::string binary_digest_;
};

}  // namespace

std::unique_ptr<ProfileSource> astra_sim_profiles(ModelPool pool, ClusterSpec cluster,
                                                  BuiltinOptions options, AstraSimBackend backend) {
  return std::make_unique<AstraSimProfiles>(std::move(pool), std::move(cluster), options,
                                            std::move(backend));
}

}  // namespace mosim
