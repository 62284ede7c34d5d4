#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/csv.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "mosim/profile.hpp"

namespace mosim {
namespace {

constexpr NumberRange kSeconds{0, 1e9};
constexpr NumberRange kGpus{1, kMostGpus, true};
constexpr NumberRange kAmount{0, 1e18};

// Profiles by GPU type, the empty name for every type, then by what ProfileTable keeps them.
using ByGpu = std::map<std::string, std::map<ProfileTable::Key, JobProfile>>;

void add(std::map<ProfileTable::Key, JobProfile>& profiles, const ProfileTable::Key& key,
         const JobProfile& profile, SourceLocation where, Problems& problems) {
  if (profile.iteration_s() <= 0) {
    problems.add(std::move(where), "has an iteration that takes no time",
                 "a computing or networking time above 0");
  } else if (!profiles.emplace(key, profile).second) {
    problems.add(std::move(where),
                 fmt::format("'{}' on {} GPUs appears twice", key.first, key.second), "one row");
  }
}

// What the table says of one type; a row for it comes before one for every type.
ProfileTable table_for(ByGpu& profiles, const std::string& gpu) {
  std::map<ProfileTable::Key, JobProfile> chosen = std::move(profiles[canonical_gpu(gpu)]);
  if (!gpu.empty()) chosen.merge(profiles[""]);
  return ProfileTable(std::move(chosen));
}

// A column such as compute_ms: the quantity and how many base units one of its units is.
struct Quantity {
  std::string column;
  double factor = 1;
};

// Finds `name`_<unit> among the columns.
std::optional<Quantity> find_quantity(const std::vector<std::string>& columns,
                                      std::string_view name, Dimension dimension) {
  for (const std::string& column : columns) {
    if (!column.starts_with(name) || column.size() < name.size() + 2 ||
        column[name.size()] != '_') {
      continue;
    }
    try {
      return Quantity{column, parse_quantity(dimension, "1 " + column.substr(name.size() + 1))};
    } catch (const std::invalid_argument&) {
      continue;  // another column that only begins alike
    }
  }
  return std::nullopt;
}

struct Quantities {
  Quantity compute, network, volume;
  std::optional<Quantity> loading;

  Quantities(const std::vector<std::string>& columns, const SourceLocation& where) {
    const auto need = [&](std::string_view name, Dimension dimension) {
      if (auto found = find_quantity(columns, name, dimension)) return *found;
      throw InputError(where, fmt::format("has no column '{}_<unit>'", name),
                       fmt::format("one with a unit of {}", accepted_units(dimension)));
    };
    compute = need("compute", Dimension::duration);
    network = need("network", Dimension::duration);
    volume = need("volume", Dimension::volume);
    loading = find_quantity(columns, "loading", Dimension::duration);
  }
};

constexpr std::string_view kTable = "a profile table";

ByGpu read_csv_table(const std::string& path, std::unique_ptr<ByteSource> source,
                     const ModelPool& pool) {
  CsvReader csv(path, std::move(source), kTable);
  const Quantities units(csv.header(), {path, {}});
  const std::size_t model = csv.require({"model"});
  const std::size_t gpus = csv.require({"gpus"});
  const std::size_t compute = csv.require({units.compute.column});
  const std::size_t network = csv.require({units.network.column});
  const std::size_t volume = csv.require({units.volume.column});
  const auto gpu = csv.find({"gpu"});
  ByGpu profiles;
  Problems problems;
  while (csv.next()) {
    JobProfile profile;
    profile.compute_s = csv.number(compute, kSeconds, problems) * units.compute.factor;
    profile.network_s = csv.number(network, kSeconds, problems) * units.network.factor;
    profile.volume = csv.number(volume, kAmount, problems) * units.volume.factor;
    if (units.loading) {
      profile.loading_s = csv.number(csv.require({units.loading->column}), kSeconds, problems) *
                          units.loading->factor;
    }
    const auto count = static_cast<std::uint32_t>(csv.number(gpus, kGpus, problems));
    const std::string type = gpu ? canonical_gpu(std::string(csv.field(*gpu))) : std::string();
    add(profiles[type], {pool.canonical(csv.field(model)), count}, profile, csv.where(model),
        problems);
  }
  problems.throw_if_any();
  return profiles;
}

ByGpu read_yaml_table(const std::string& path, const ModelPool& pool) {
  const YamlNode root = parse_yaml(path, read_file(path, kTable));
  Problems problems;
  YamlMap map(root, "a profile table", problems);
  const YamlNode* rows = map.any("profiles", true);
  map.finish();
  problems.throw_if_any();
  if (rows->kind != YamlNode::Kind::list) {
    throw InputError(rows->where(), fmt::format("profiles is {}", kind_name(rows->kind)), "a list");
  }
  ByGpu profiles;
  for (const YamlNode& row : rows->children) {
    std::vector<std::string> columns;
    columns.reserve(row.children.size());
    for (const YamlNode& child : row.children) columns.push_back(child.key);
    const Quantities units(columns, row.where());
    YamlMap fields(row, "a profile", problems);
    JobProfile profile;
    profile.compute_s = fields.number(units.compute.column, kSeconds) * units.compute.factor;
    profile.network_s = fields.number(units.network.column, kSeconds) * units.network.factor;
    profile.volume = fields.number(units.volume.column, kAmount) * units.volume.factor;
    if (units.loading) {
      profile.loading_s = fields.number(units.loading->column, kSeconds) * units.loading->factor;
    }
    const std::string model = pool.canonical(fields.text("model"));
    const auto count = static_cast<std::uint32_t>(fields.number("gpus", kGpus));
    std::string gpu;
    if (fields.any("gpu", false) != nullptr) gpu = canonical_gpu(fields.text("gpu"));
    fields.finish();
    add(profiles[gpu], {model, count}, profile, row.where(), problems);
  }
  problems.throw_if_any();
  return profiles;
}

}  // namespace

std::optional<JobProfile> ProfileTable::find(const std::string& model, std::uint32_t gpus) const {
  const auto at = profiles_.find({model, gpus});
  if (at == profiles_.end()) return std::nullopt;
  return at->second;
}

std::string ProfileTable::expected(const std::string& model) const {
  std::vector<std::string> counts;
  std::vector<std::string> models;
  for (const auto& [key, profile] : profiles_) {
    if (key.first == model) counts.push_back(std::to_string(key.second));
    if (models.empty() || models.back() != key.first) models.push_back(key.first);
  }
  if (!counts.empty()) return fmt::format("{} GPUs, as in the table", join(counts, ", "));
  return "a model of the table: " + one_of(model, models);
}

ProfileTable read_profile_table(const std::string& path, const ModelPool& pool,
                                const std::string& gpu) {
  const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
  ByGpu profiles =
      yaml ? read_yaml_table(path, pool) : read_csv_table(path, open_source(path, kTable), pool);
  return table_for(profiles, gpu);
}

ProfileTable parse_profile_table(const std::string& name, std::string_view csv,
                                 const ModelPool& pool, const std::string& gpu) {
  ByGpu profiles = read_csv_table(name, text_source(csv), pool);
  return table_for(profiles, gpu);
}

ProfileTable read_artifact_profile(const std::string& times_path, const std::string& network_path,
                                   const ModelPool& pool) {
  Problems problems;
  std::map<ProfileTable::Key, double> rates;  // total TX+RX, bytes per second
  {
    CsvReader csv(network_path, "the artifact's network profile");
    const std::size_t model = csv.require({"Model"});
    const std::size_t workers = csv.require({"Number of Workers"});
    // The same rate stands in MB (or MiB) too; bytes leave no doubt.
    const std::size_t rate = csv.require({"Sum of Max TX+RX (B/s)"});
    while (csv.next()) {
      const auto count = static_cast<std::uint32_t>(csv.number(workers, kGpus, problems));
      rates[{pool.canonical(csv.field(model)), count}] = csv.number(rate, kAmount, problems);
    }
  }
  CsvReader csv(times_path, "the artifact's iteration times");
  const std::size_t model = csv.require({"model_name"});
  const std::size_t workers = csv.require({"gpu_workers"});
  const std::size_t compute = csv.require({"iteration_computing_time"});
  const std::size_t network = csv.require({"iteration_networking_time"});
  const auto loading = csv.find({"loading_time"});
  std::map<ProfileTable::Key, JobProfile> profiles;
  while (csv.next()) {
    const auto count = static_cast<std::uint32_t>(csv.number(workers, kGpus, problems));
    const ProfileTable::Key key{pool.canonical(csv.field(model)), count};
    JobProfile profile;
    profile.compute_s = csv.number(compute, kSeconds, problems);
    profile.network_s = csv.number(network, kSeconds, problems);
    if (loading && !csv.field(*loading).empty()) {
      profile.loading_s = csv.number(*loading, kSeconds, problems);
    }
    const auto rate = rates.find(key);
    if (rate != rates.end()) {
      // One worker apart from the others stands for any split over servers.
      profile.volume = nic_volume(rate->second, count, 1) * profile.network_s;
    } else if (profile.network_s > 0) {
      problems.add(
          csv.where(model),
          fmt::format("'{}' on {} GPUs has a networking time and no rate", csv.field(model), count),
          fmt::format("a row for it in {}", network_path));
    }
    add(profiles, key, profile, csv.where(model), problems);
  }
  problems.throw_if_any();
  return ProfileTable(std::move(profiles));
}

}  // namespace mosim
