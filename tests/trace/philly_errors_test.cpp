// Philly's JSON when it is not what it should be, and when it is large.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mosim/trace.hpp"
#include "support/command.hpp"

namespace mosim {
namespace {

constexpr std::string_view kGood =
    R"({"status":"Pass","vc":null,"jobid":"good","attempts":[{"start_time":"2017-10-07 02:00:00",)"
    R"("end_time":"2017-10-07 02:00:10","detail":[{"ip":"m1","gpus":["gpu0"]}]}],)"
    R"("submitted_time":"2017-10-07 01:00:00","user":"None"})";

// kGood with one piece replaced.
std::string with(std::string_view piece, std::string_view by) {
  std::string text(kGood);
  return text.replace(text.find(piece), piece.size(), by);
}

class PhillyErrors : public testing::Test {
 protected:
  Trace read(const std::string& text, bool lenient = false) {
    return read_trace(
        {.file = folder_.write("t.json", text), .format = "philly", .lenient = lenient});
  }

  std::string failure(const std::string& text, bool lenient = false) {
    try {
      (void)read(text, lenient);
    } catch (const InputError& error) {
      const std::string what = error.what();
      return what.substr(folder_.path("t.json").size());
    }
    return "";
  }

  test::TemporaryFolder folder_;
};

TEST_F(PhillyErrors, WrongJobsAreRefusedWithTheirPlace) {
  const std::string shape =
      "an object with jobid, status, submitted_time and attempts, as in Philly's cluster_job_log";
  const std::string time = "a time such as 2017-10-09 07:01:55, null or \"None\"";
  const std::vector<std::pair<std::string, std::string>> cases{
      {with("\"Pass\"", "\"Running\""),
       ":2:11: status is 'Running'; expected Pass, Killed or Failed"},
      {with("\"Pass\"", "3"), ":2:11: status is 3; expected a text"},
      {with("\"good\"", "[1]"), ":2:36: jobid is an array; expected a text"},
      {with("\"jobid\":\"good\",", ""), ":2:1: job has no 'jobid'; expected " + shape},
      {with("\"good\"", "null"), ":2:1: job has no 'jobid'; expected " + shape},
      {with("attempts", "attempt"), ":2:1: job has no 'attempts'; expected " + shape},
      {with("submitted_time", "submit"), ":2:1: job has no 'submitted_time'; expected " + shape},
      {with("status", "state"), ":2:1: job has no 'status'; expected " + shape},
      {with("\"2017-10-07 02:00:00\"", "\"2017-10-32 02:00:00\""),
       ":2:69: start_time is '2017-10-32 02:00:00'; expected " + time},
      {with("\"2017-10-07 02:00:10\"", "1507339899"),
       ":2:102: end_time is 1507339899; expected a text"},
      {with("[{\"ip\":\"m1\",\"gpus\":[\"gpu0\"]}]", "null"),
       ":2:133: detail is null; expected an array"},
      {with("[\"gpu0\"]", "8"), ":2:152: gpus is 8; expected an array"},
      {with("\"gpu0\"", "0"), ":2:153: a GPU is 0; expected its name"},
      {with("\"gpus\"", "\"gpu\""),
       ":2:134: detail has no 'gpus'; expected an array of the GPUs' names"},
      {with("\"detail\"", "\"details\""),
       ":2:55: attempt has no 'detail'; expected an array of its servers and their GPUs"},
      {"[]", ":2:1: has [] where a job should be; expected " + shape},
      {"17", ":2:1: has 17 where a job should be; expected " + shape}};
  for (const auto& [job, message] : cases) {
    EXPECT_EQ(failure("[" + std::string(kGood) + ",\n" + job + "]"), message) << job;
    const Trace trace = read("[" + std::string(kGood) + ",\n" + job + "]", true);
    EXPECT_EQ(trace.jobs.size(), 1U) << job;
    EXPECT_EQ(trace.account.found[static_cast<std::size_t>(Finding::bad_row)], 1U) << job;
    ASSERT_EQ(trace.account.bad_rows.size(), 1U) << job;
    EXPECT_EQ(trace.account.bad_rows[0].where.position.line, 2U) << job;
  }
}

TEST_F(PhillyErrors, WhatIsNotJsonIsRefusedWithItsPlace) {
  for (const char* piece : {"\"Pass\",\"vc\"", "\"good\",\"attempts\""}) {
    std::string without_comma(piece);
    without_comma.replace(without_comma.find(','), 1, " ");
    const std::string message = failure("[\n" + with(piece, without_comma) + "]");
    EXPECT_TRUE(message.starts_with(":2:")) << message;
    EXPECT_NE(message.find("is not JSON"), std::string::npos) << message;
  }
  EXPECT_NE(failure("[" + with("good", "go\xFFod") + "]").find("is not JSON"), std::string::npos);
  EXPECT_NE(failure("[{\"jobid\"}]").find("is not JSON"), std::string::npos);
}

// Beyond such places no job can be told from the next: lenient reading does not help.
TEST_F(PhillyErrors, BrokenArraysAreRefusedEvenWhenLenient) {
  const std::string good(kGood);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"[" + good + ",\n" + good.substr(0, 100), ":2:101: ends inside a job"},
      {"[" + good + "\n", ":2:1: ends inside the array"},
      {"[" + good + "]\ntrailing", ":2:1: has 't' after the array"},
      {"[" + good + "\n" + good + "]", ":2:1: has '{' after a job"},
      {"[\n" + with("[\"gpu0\"]", "[\"gpu0\"}") + "]", ":2:159: has '}' where ']' should be"},
      {"[\n{\"deep\":" + std::string(100, '['), ":2:72: is nested over 64 levels deep"}};
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(failure(text).substr(0, message.size()), message) << text;
    EXPECT_EQ(failure(text, true).substr(0, message.size()), message) << text;
  }
}

TEST_F(PhillyErrors, EarlierProblemsAreToldWhereTheTextBreaksOff) {
  const std::string message = failure("[" + with("\"Pass\"", "3") + ",\n{");
  EXPECT_NE(message.find("status is 3"), std::string::npos);
  EXPECT_NE(message.find("ends inside a job"), std::string::npos);
}

TEST_F(PhillyErrors, AnObjectInsteadOfAnArrayIsAJobOfItsOwn) {
  EXPECT_EQ(failure("{\"jobs\":[" + std::string(kGood) + "]}").substr(0, 26),
            ":1:1: job has no 'jobid'; ");
  const Trace trace = read(std::string(kGood) + "\n" + with("good", "other") + "\n");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[1].id, "other");
  EXPECT_EQ(trace.jobs[1].position.line, 2U);
  EXPECT_EQ(trace.jobs[0].user, "");
}

TEST_F(PhillyErrors, OtherJsonIsNotTakenForIt) {
  for (const char* text : {"[]", "[{\"a\":1}]", "{\"attempts\":[]}", "jobid,attempts\n1,2\n"}) {
    EXPECT_THROW((void)read_trace({.file = folder_.write("t.json", text)}), InputError) << text;
  }
}

// Whatever becomes of a byte, the trace is read or refused, and strict reading never keeps more.
RC_GTEST_FIXTURE_PROP(PhillyErrors, AChangedByteIsReadOrRefused, ()) {
  std::string text = "[" + std::string(kGood) + ",\n" + with("good", "other") + "]";
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  text[at] = *rc::gen::oneOf(rc::gen::elementOf(std::string("{}[]\",:\\ 0n\n\0", 13)),
                             rc::gen::arbitrary<char>());
  const auto jobs = [&](bool lenient) -> std::size_t {
    try {
      return read(text, lenient).jobs.size();
    } catch (const InputError& error) {
      RC_ASSERT(!error.diagnostics().empty());
      return 0;
    }
  };
  RC_ASSERT(jobs(false) <= jobs(true));
}

// Several pieces of input: jobs across their ends, and the same from lines instead of an array.
TEST_F(PhillyErrors, ManyJobsReadTheSameInBothForms) {
  constexpr std::size_t kJobs = 3000;
  std::string array = "[", lines;
  for (std::size_t i = 0; i < kJobs; ++i) {
    const std::string job = with("good", fmt::format("job{}", i));
    array += (i > 0 ? ",\n" : "") + job;
    lines += job + "\n";
  }
  const Trace one = read(array + "]");
  const Trace other = read(lines);
  ASSERT_EQ(one.jobs.size(), kJobs);
  ASSERT_EQ(other.jobs.size(), kJobs);
  for (std::size_t i = 0; i < kJobs; ++i) {
    ASSERT_EQ(one.jobs[i].id, fmt::format("job{}", i));
    ASSERT_EQ(other.jobs[i].id, one.jobs[i].id);
    ASSERT_EQ(one.jobs[i].position.line, i + 1);
    ASSERT_EQ(other.jobs[i].position.line, i + 1);
    ASSERT_EQ(one.jobs[i].duration_s, 10);
  }
}

}  // namespace
}  // namespace mosim
