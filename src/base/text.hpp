// Small helpers on text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mosim {

// Without the blanks and tabs at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

// The whole of `text` as a finite number; nothing for anything else (NaN and infinity included).
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

// The candidate nearest to `name` by edit distance, if it is near enough to be a typing error.
[[nodiscard]] std::optional<std::string> nearest(std::string_view name,
                                                 std::span<const std::string> candidates);

// The parts between separators, each trimmed. Nothing follows a separator at the end, and an empty
// text has no parts.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

// "a, b, c"
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

// "a or b", with the nearest name first when `name` looks like a typing error: the text after
// "expected" for a value that must be one of `candidates`.
[[nodiscard]] std::string one_of(std::string_view name, std::span<const std::string> candidates);

// Lower case, ASCII only.
[[nodiscard]] std::string lower(std::string_view text);

}  // namespace mosim
