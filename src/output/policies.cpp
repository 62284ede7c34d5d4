// Policies and placements for people and scripts.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mosim/output.hpp"
#include "output/text_table.hpp"

namespace mosim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNoMaximum = 1e300;

std::string_view kind_name(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::number:
      return "number";
    case ParameterKind::integer:
      return "integer";
    case ParameterKind::boolean:
      return "boolean";
    case ParameterKind::duration:
      return "duration";
    case ParameterKind::numbers:
      return "numbers";
    case ParameterKind::choice:
      return "choice";
  }
  return "";
}

bool has_bounds(const Parameter& parameter) {
  return parameter.kind != ParameterKind::boolean && parameter.kind != ParameterKind::choice;
}

std::string bounds(const Parameter& parameter) {
  if (parameter.kind == ParameterKind::boolean) return "true or false";
  if (parameter.kind == ParameterKind::choice) {
    return fmt::format("{}", fmt::join(parameter.choices, " or "));
  }
  const auto text = [&](double value) {
    if (parameter.kind != ParameterKind::duration) return fmt::format("{}", value);
    return format_quantity(Dimension::duration, value);
  };
  if (parameter.maximum >= kNoMaximum) return fmt::format("at least {}", text(parameter.minimum));
  return fmt::format("{} to {}", text(parameter.minimum), text(parameter.maximum));
}

// Below an empty line.
std::string parameter_table(const PolicyInfo& info) {
  if (info.parameters.empty()) return "\nno parameters\n";
  using Align = TextTable::Align;
  TextTable table;
  table.columns = {{"parameter", Align::left},
                   {"kind", Align::left},
                   {"default", Align::left},
                   {"accepts", Align::left},
                   {"meaning", Align::left}};
  for (const Parameter& one : info.parameters) {
    table.rows.push_back(
        {one.name, std::string(kind_name(one.kind)), one.fallback, bounds(one), one.help});
  }
  return aligned_text(table);
}

std::string needs_text(const PolicyNeeds& needs) {
  std::string text;
  const auto add = [&](bool needed, std::string_view what) {
    if (needed) text += fmt::format("{}{}", text.empty() ? "" : ", ", what);
  };
  add(needs.remaining_time, "remaining times (an oracle: no real scheduler knows them)");
  add(needs.estimates, "users' estimates of run times");
  add(needs.deadlines, "deadlines");
  return text.empty() ? "nothing but what every scheduler sees" : text;
}

// A command with the first parameter at its default.
std::string example(const PolicyInfo& info, std::string_view kind) {
  if (info.parameters.empty()) return fmt::format("mosim run --{} {}", kind, info.name);
  const Parameter& first = info.parameters.front();
  return fmt::format("mosim run --{} '{}({}={})'", kind, info.name, first.name, first.fallback);
}

std::string describe(const PolicyInfo& info, std::string_view kind) {
  std::string out = fmt::format("{} {}: {}\n\n", kind, info.name, info.summary);
  const auto line = [&](std::string_view what, std::string_view value) {
    if (!value.empty()) out += fmt::format("{:<18}{}\n", what, value);
  };
  line("source", info.source);
  if (kind == "queue") {
    line("needs", needs_text(info.needs));
    line("placement",
         info.decides_placement ? "its own" : "scheduler.placement says where jobs go");
    line("virtual clusters",
         info.spans_virtual_clusters ? "one policy for all of them" : "a policy for each of them");
  }
  line("example", example(info, kind));
  return out + parameter_table(info);
}

Json parameter_json(const Parameter& parameter) {
  Json json = {{"name", parameter.name},
               {"kind", kind_name(parameter.kind)},
               {"default", parameter.fallback}};
  if (has_bounds(parameter)) {
    json["minimum"] = parameter.minimum;
    if (parameter.maximum < kNoMaximum) json["maximum"] = parameter.maximum;
  }
  if (parameter.kind == ParameterKind::choice) json["choices"] = parameter.choices;
  json["help"] = parameter.help;
  return json;
}

Json to_json(const PolicyInfo& info, std::string_view kind) {
  Json json = {
      {"kind", kind}, {"name", info.name}, {"summary", info.summary}, {"source", info.source}};
  if (kind == "queue") {
    json["needs"] = {{"remaining_time", info.needs.remaining_time},
                     {"estimates", info.needs.estimates},
                     {"deadlines", info.needs.deadlines}};
    json["decides_placement"] = info.decides_placement;
    json["spans_virtual_clusters"] = info.spans_virtual_clusters;
  }
  json["parameters"] = Json::array();
  for (const Parameter& parameter : info.parameters) {
    json["parameters"].push_back(parameter_json(parameter));
  }
  return json;
}

// Calls visit(info, kind) for everything with the name, or for all when it is empty.
template <typename Visit>
void for_each_policy(const PolicyRegistry& registry, std::string_view name, Visit&& visit) {
  const auto each = [&](const auto& entries, std::string_view kind) {
    for (const auto& entry : entries) {
      if (name.empty() || entry.info.name == name) visit(entry.info, kind);
    }
  };
  each(registry.queues(), "queue");
  each(registry.placements(), "placement");
}

}  // namespace

std::string policies_text(const PolicyRegistry& registry) {
  std::string out;
  for_each_policy(registry, {}, [&](const PolicyInfo& info, std::string_view kind) {
    out += fmt::format("{:<11}{:<21}{}\n", kind, info.name, info.summary);
  });
  return out;
}

std::string policy_text(const PolicyRegistry& registry, std::string_view name) {
  std::string out;
  for_each_policy(registry, name, [&](const PolicyInfo& info, std::string_view kind) {
    if (!out.empty()) out += "\n";
    out += describe(info, kind);
  });
  return out;
}

std::string policies_json(const PolicyRegistry& registry, std::string_view name) {
  Json json = Json::array();
  for_each_policy(registry, name, [&](const PolicyInfo& info, std::string_view kind) {
    json.push_back(to_json(info, kind));
  });
  return json.dump(2) + "\n";
}

}  // namespace mosim
