#include "base/calendar.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace mosim {
namespace {

constexpr std::int64_t kDay_s = 86400;

// Days since 1970-01-01 in the proleptic Gregorian calendar, and back.
// Source: Howard Hinnant, "chrono-compatible low-level date algorithms".
constexpr std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<unsigned>(year - era * 400);
  const unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + static_cast<std::int64_t>(day_of_era) - 719468;
}

struct Date {
  std::int64_t year;
  unsigned month;
  unsigned day;
};

constexpr Date civil_from_days(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const auto day_of_era = static_cast<unsigned>(days - era * 146097);
  const unsigned year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const unsigned day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned shifted = (5 * day_of_year + 2) / 153;
  const unsigned month = shifted < 10 ? shifted + 3 : shifted - 9;
  const std::int64_t year = static_cast<std::int64_t>(year_of_era) + era * 400;
  return {year + (month <= 2 ? 1 : 0), month, day_of_year - (153 * shifted + 2) / 5 + 1};
}

unsigned days_in_month(unsigned year, unsigned month) {
  constexpr std::array<unsigned, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[month - 1] + (leap && month == 2 ? 1U : 0U);
}

// Whether `text` has digits where `shape` has 'd', a blank or 'T' where it has '_', and its
// characters elsewhere.
bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (shape[i] == 'd'   ? !digit
        : shape[i] == '_' ? text[i] != ' ' && text[i] != 'T'
                          : text[i] != shape[i]) {
      return false;
    }
  }
  return true;
}

unsigned number_at(std::string_view text, std::size_t at, std::size_t length) {
  unsigned value = 0;
  for (std::size_t i = at; i < at + length; ++i) {
    value = value * 10 + static_cast<unsigned>(text[i] - '0');
  }
  return value;
}

// Takes "Z" or "+08:00" off the end; false when what stands there is neither nor nothing.
bool take_offset(std::string_view& rest, std::optional<int>& offset_s) {
  if (rest.empty()) return true;
  if (rest == "Z") {
    offset_s = 0;
    return true;
  }
  const bool negative = rest.front() == '-';
  if (!negative && rest.front() != '+') return false;
  if (!has_shape(rest.substr(1), "dd:dd")) return false;
  const unsigned hours = number_at(rest, 1, 2), minutes = number_at(rest, 4, 2);
  if (hours > 23 || minutes > 59) return false;
  const auto offset = static_cast<int>(hours * 3600 + minutes * 60);
  offset_s = negative ? -offset : offset;
  return true;
}

std::int64_t whole_days(double seconds) {
  return static_cast<std::int64_t>(std::floor(seconds / kDay_s));
}

}  // namespace

std::optional<CalendarTime> parse_calendar_time(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd_dd:dd:dd";
  if (text.size() < kShape.size() || !has_shape(text.substr(0, kShape.size()), kShape)) {
    return std::nullopt;
  }
  const unsigned year = number_at(text, 0, 4), month = number_at(text, 5, 2);
  const unsigned day = number_at(text, 8, 2), hour = number_at(text, 11, 2);
  const unsigned minute = number_at(text, 14, 2), second = number_at(text, 17, 2);
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 ||
      minute > 59 || second > 59) {
    return std::nullopt;
  }
  CalendarTime time;
  time.seconds =
      static_cast<double>(days_from_civil(year, month, day) * kDay_s + std::int64_t{hour} * 3600 +
                          std::int64_t{minute} * 60 + second);
  std::string_view rest = text.substr(kShape.size());
  if (rest.size() > 1 && rest.front() == '.') {
    const std::size_t digits = rest.find_first_not_of("0123456789", 1);
    const std::string_view fraction = rest.substr(0, digits);
    double part = 0;
    const auto [end, error] =
        std::from_chars(fraction.data(), fraction.data() + fraction.size(), part);
    if (fraction.size() < 2 || error != std::errc() || end != fraction.data() + fraction.size()) {
      return std::nullopt;
    }
    time.seconds += part;
    rest.remove_prefix(fraction.size());
  }
  if (!take_offset(rest, time.offset_s)) return std::nullopt;
  return time;
}

std::optional<double> CalendarClock::read(std::string_view text) {
  const auto time = parse_calendar_time(text);
  if (!time) return std::nullopt;
  if (!time->offset_s) return time->seconds;
  if (!offset_s_) offset_s_ = time->offset_s;
  return time->seconds + *offset_s_ - *time->offset_s;
}

std::string format_calendar_time(double seconds) {
  const std::int64_t days = whole_days(seconds);
  const Date date = civil_from_days(days);
  const auto of_day = static_cast<std::int64_t>(std::floor(seconds)) - days * kDay_s;
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", date.year, date.month, date.day,
                     of_day / 3600, of_day / 60 % 60, of_day % 60);
}

std::string format_exact_calendar_time(double seconds) {
  const double fraction = seconds - std::floor(seconds);
  if (fraction == 0) return format_calendar_time(seconds);
  // A double near 1970 may have 1074 places, which is not what a time needs.
  std::array<char, 64> text{};
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), fraction, std::chars_format::fixed);
  if (written.ec != std::errc()) return format_calendar_time(seconds);
  return format_calendar_time(seconds) + std::string(text.data() + 1, written.ptr);
}

int weekday_of(double seconds) {
  // 1970-01-01 was a Thursday.
  return static_cast<int>(((whole_days(seconds) + 3) % 7 + 7) % 7);
}

int hour_of(double seconds) {
  const auto of_day = static_cast<std::int64_t>(std::floor(seconds)) - whole_days(seconds) * kDay_s;
  return static_cast<int>(of_day / 3600);
}

}  // namespace mosim
