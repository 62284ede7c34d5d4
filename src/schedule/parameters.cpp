#include "schedule/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/text.hpp"

namespace mosim {
namespace {

// Numbers with blanks between them.
std::optional<std::vector<double>> to_numbers(std::string_view text) {
  std::vector<double> values;
  for (text = trim(text); !text.empty();) {
    const auto end = std::min(text.find(' '), text.size());
    const auto value = parse_double(text.substr(0, end));
    if (!value) return std::nullopt;
    values.push_back(*value);
    text = trim(text.substr(end));
  }
  return values;
}

double in_seconds(const std::string& text) {
  if (const auto number = parse_double(text); number && *number == 0) return 0;
  return parse_quantity(Dimension::duration, text);
}

std::string expected(const Parameter& parameter) {
  const auto range = [&](std::string_view what) {
    if (parameter.maximum >= 1e300) {
      return fmt::format("{} of at least {}", what, parameter.minimum);
    }
    return fmt::format("{} from {} to {}", what, parameter.minimum, parameter.maximum);
  };
  switch (parameter.kind) {
    case ParameterKind::number:
      return range("a number");
    case ParameterKind::integer:
      return range("a whole number");
    case ParameterKind::boolean:
      return "true or false";
    case ParameterKind::duration:
      return "a duration, such as 30 s or 2h";
    case ParameterKind::numbers:
      return range("numbers with blanks between them, each");
    case ParameterKind::choice:
      return fmt::format("{}", fmt::join(parameter.choices, " or "));
  }
  return {};
}

bool is_right(const Parameter& parameter, const std::string& value) {
  const auto in_range = [&](double number) {
    return number >= parameter.minimum && number <= parameter.maximum;
  };
  switch (parameter.kind) {
    case ParameterKind::number:
    case ParameterKind::integer: {
      const auto number = parse_double(value);
      const bool whole =
          parameter.kind == ParameterKind::number || (number && *number == std::floor(*number));
      return number && whole && in_range(*number);
    }
    case ParameterKind::boolean:
      return value == "true" || value == "false";
    case ParameterKind::duration:
      try {
        return in_range(in_seconds(value));
      } catch (const std::invalid_argument&) {
        return false;
      }
    case ParameterKind::numbers: {
      const auto numbers = to_numbers(value);
      return numbers && !numbers->empty() &&
             std::all_of(numbers->begin(), numbers->end(), in_range);
    }
    case ParameterKind::choice:
      return std::find(parameter.choices.begin(), parameter.choices.end(), value) !=
             parameter.choices.end();
  }
  return false;
}

const Parameter& find(const PolicyInfo& info, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : info.parameters) {
    if (parameter.name == name) return parameter;
    names.push_back(parameter.name);
  }
  throw std::invalid_argument(
      fmt::format("policy '{}' has no parameter '{}'; expected {}", info.name, name,
                  names.empty() ? std::string("none") : one_of(name, names)));
}

}  // namespace

PolicyCall parse_policy_call(std::string_view text) {
  text = trim(text);
  const auto open = text.find('(');
  PolicyCall call{std::string(trim(text.substr(0, open))), {}};
  if (open == std::string_view::npos) return call;
  const auto wrong = [&] {
    return std::invalid_argument(
        fmt::format("'{}' is not a policy; expected NAME or NAME(key=value, ...)", text));
  };
  if (text.back() != ')') throw wrong();
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (trim(inside).empty()) return call;
  for (const std::string_view part : split(inside, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) throw wrong();
    call.arguments.emplace_back(trim(part.substr(0, equals)), trim(part.substr(equals + 1)));
  }
  return call;
}

Parameters read_parameters(const PolicyInfo& info,
                           const std::vector<std::pair<std::string, std::string>>& arguments) {
  std::map<std::string, std::string, std::less<>> values;
  const auto set = [&](const Parameter& parameter, const std::string& value) {
    if (!is_right(parameter, value)) {
      throw std::invalid_argument(fmt::format("parameter '{}' of policy '{}' is '{}'; expected {}",
                                              parameter.name, info.name, value,
                                              expected(parameter)));
    }
    if (!values.emplace(parameter.name, value).second) {
      throw std::invalid_argument(
          fmt::format("parameter '{}' of policy '{}' is given twice; expected it once",
                      parameter.name, info.name));
    }
  };
  for (const auto& [name, value] : arguments) set(find(info, name), value);
  for (const Parameter& parameter : info.parameters) {
    if (!values.contains(parameter.name)) set(parameter, parameter.fallback);
  }
  return Parameters(std::move(values));
}

const std::string& Parameters::text(std::string_view name) const {
  const auto at = values_.find(name);
  if (at == values_.end()) {
    throw std::logic_error(fmt::format("parameter '{}' is not declared", name));
  }
  return at->second;
}

double Parameters::number(std::string_view name) const {
  const std::string& value = text(name);
  const auto number = parse_double(value);
  return number ? *number : in_seconds(value);
}

bool Parameters::flag(std::string_view name) const { return text(name) == "true"; }

std::vector<double> Parameters::numbers(std::string_view name) const {
  return to_numbers(text(name)).value_or(std::vector<double>());
}

}  // namespace mosim
