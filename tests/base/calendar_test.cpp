#include "base/calendar.hpp"

#include <gtest/gtest.h>

namespace mosim {
namespace {

TEST(Calendar, SecondsSince1970) {
  EXPECT_EQ(parse_calendar_time("1970-01-01 00:00:00")->seconds, 0);
  // date -u -d '2017-10-09 07:01:55' +%s
  EXPECT_EQ(parse_calendar_time("2017-10-09 07:01:55")->seconds, 1507532515);
  EXPECT_EQ(parse_calendar_time("2017-10-09T07:01:55.25")->seconds, 1507532515.25);
  EXPECT_EQ(parse_calendar_time("2020-02-29 00:00:00")->seconds, 1582934400);
  EXPECT_EQ(parse_calendar_time("1969-12-31 23:59:59")->seconds, -1);
}

TEST(Calendar, Offsets) {
  const auto time = parse_calendar_time("2023-03-01 00:18:22+08:00");
  ASSERT_TRUE(time.has_value());
  EXPECT_EQ(time->seconds, 1677629902);  // as the clock on the wall says
  EXPECT_EQ(time->offset_s, 8 * 3600);
  EXPECT_EQ(parse_calendar_time("2023-03-01 00:18:22-03:30")->offset_s, -12600);
  EXPECT_EQ(parse_calendar_time("2023-03-01 00:18:22Z")->offset_s, 0);
  EXPECT_FALSE(parse_calendar_time("2023-03-01 00:18:22")->offset_s.has_value());
}

TEST(Calendar, OneClockForAFile) {
  CalendarClock clock;
  EXPECT_EQ(clock.read("2023-03-01 08:00:00+08:00"), 1677657600);
  // The same moment, an hour further east.
  EXPECT_EQ(clock.read("2023-03-01 09:00:00+09:00"), 1677657600);
  // Without an offset it is on the file's clock.
  EXPECT_EQ(clock.read("2023-03-01 08:00:00"), 1677657600);
}

TEST(Calendar, WhatIsNotATime) {
  for (const char* text :
       {"", "yesterday", "2017-13-09 07:01:55", "2017-02-29 07:01:55", "2017-10-09 24:00:00",
        "2017-10-09 07:01", "2017-10-09 07:01:55 ", "2017-10-09 07:01:55.", "2017-10-09 07:01:55+8",
        "2017-10-09 07:01:55+08:00x", "2017-10-09 07:01:60"}) {
    EXPECT_FALSE(parse_calendar_time(text).has_value()) << text;
  }
}

TEST(Calendar, WritesWhatItReads) {
  for (const char* text : {"1970-01-01 00:00:00", "2017-10-09 07:01:55", "2020-02-29 23:59:59",
                           "2000-12-31 12:00:00", "1969-12-31 23:59:59"}) {
    EXPECT_EQ(format_calendar_time(parse_calendar_time(text)->seconds), text);
  }
}

TEST(Calendar, WeekdaysAndHours) {
  const double monday = parse_calendar_time("2017-10-09 07:01:55")->seconds;
  EXPECT_EQ(weekday_of(monday), 0);
  EXPECT_EQ(hour_of(monday), 7);
  EXPECT_EQ(weekday_of(-1), 2);  // 1969-12-31, a Wednesday
  EXPECT_EQ(hour_of(-1), 23);
}

}  // namespace
}  // namespace mosim
