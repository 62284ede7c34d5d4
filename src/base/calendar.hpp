// Calendar times as traces write them, as seconds on the trace's own clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mosim {

// "2017-10-09 07:01:55", with 'T' for the blank, a fraction of a second, and "Z" or an offset such
// as "+08:00" if it is there.
struct CalendarTime {
  double seconds = 0;           // since 1970-01-01 00:00 of the clock that wrote it
  std::optional<int> offset_s;  // of that clock from UTC, when written
};

// Nothing when `text` is not such a time.
[[nodiscard]] std::optional<CalendarTime> parse_calendar_time(std::string_view text);

// Reads the times of one file on one clock: that of its first time. A time with another offset is
// brought to it.
class CalendarClock {
 public:
  [[nodiscard]] std::optional<double> read(std::string_view text);

 private:
  std::optional<int> offset_s_;
};

// "2017-10-09 07:01:55", rounded down to the second.
[[nodiscard]] std::string format_calendar_time(double seconds);

// The same with as much of the second's fraction as `parse_calendar_time` needs to give back
// exactly `seconds`.
[[nodiscard]] std::string format_exact_calendar_time(double seconds);

// 0 is Monday.
[[nodiscard]] int weekday_of(double seconds);
[[nodiscard]] int hour_of(double seconds);

}  // namespace mosim
