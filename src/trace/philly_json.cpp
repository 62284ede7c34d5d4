#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "base/calendar.hpp"
#include "base/text.hpp"
#include "trace/formats.hpp"
#include "trace/json_elements.hpp"

namespace mosim {
namespace {

using simdjson::ondemand::json_type;
using simdjson::ondemand::value;

struct Attempt {
  std::optional<double> start_s, end_s;
  std::uint32_t gpus = 0;

  // For attempts that are known to have started.
  [[nodiscard]] double start() const { return start_s.value_or(0); }
  [[nodiscard]] double end() const { return end_s.value_or(start()); }
};

// A job as the file has it.
struct LoggedJob {
  TraceJob job;
  std::optional<double> submit_s;
  std::vector<Attempt> attempts;
};

// Reads the values of one element, and refuses them with their place.
class ElementReader {
 public:
  ElementReader(const std::string& file, const JsonElements& elements)
      : file_(file), elements_(elements) {}

  // Reads the element into `logged`, whose attempts are reused. Throws InputError.
  void read(LoggedJob& logged);

 private:
  void read_job(value element, LoggedJob& logged);
  Attempt read_attempt(value element);
  std::uint32_t read_gpus(value detail);
  JobStatus read_status(value status);
  std::optional<double> read_time(value time, std::string_view name);
  std::string_view read_text(value text, std::string_view name);
  template <typename Take>
  void for_each(value list, std::string_view name, Take take);
  void expect(value found, json_type type, std::string_view name, std::string_view expected);
  [[noreturn]] void refuse(const char* at, std::string what, std::string_view expected) const;

  std::string file_;
  const JsonElements& elements_;
  CalendarClock clock_;
  simdjson::ondemand::parser parser_;
};

constexpr std::string_view kJobShape =
    "an object with jobid, status, submitted_time and attempts, as in Philly's cluster_job_log";

void ElementReader::refuse(const char* at, std::string what, std::string_view expected) const {
  throw InputError({file_, elements_.position_of(at)}, std::move(what), std::string(expected));
}

// The first byte of a value that was not read yet.
const char* start_of(value& found) { return found.raw_json_token().data(); }

std::string shown(value& found) {
  const std::string_view token = trim(found.raw_json_token());
  if (token.starts_with('[')) return "an array";
  if (token.starts_with('{')) return "an object";
  constexpr std::size_t kShown = 40;
  return std::string(token.substr(0, std::min(token.find_first_of("\r\n"), kShown)));
}

void ElementReader::expect(value found, json_type type, std::string_view name,
                           std::string_view expected) {
  if (found.type().value() == type) return;
  refuse(start_of(found), fmt::format("{} is {}", name, shown(found)), expected);
}

// Empty for null and "None", with which the file says that there is nothing.
std::string_view ElementReader::read_text(value text, std::string_view name) {
  if (text.is_null()) return {};
  expect(text, json_type::string, name, "a text");
  const std::string_view read = text.get_string().value();
  return read == "None" ? std::string_view() : read;
}

std::optional<double> ElementReader::read_time(value time, std::string_view name) {
  const char* at = start_of(time);
  const std::string_view text = read_text(time, name);
  if (text.empty()) return std::nullopt;
  const auto read = clock_.read(text);
  if (!read) {
    refuse(at, fmt::format("{} is '{}'", name, text),
           "a time such as 2017-10-09 07:01:55, null or \"None\"");
  }
  return read;
}

template <typename Take>
void ElementReader::for_each(value list, std::string_view name, Take take) {
  expect(list, json_type::array, name, "an array");
  for (auto element : list.get_array()) take(element.value());
}

JobStatus ElementReader::read_status(value status) {
  const char* at = start_of(status);
  const std::string_view name = read_text(status, "status");
  if (name == "Pass") return JobStatus::completed;
  if (name == "Killed") return JobStatus::cancelled;
  if (name == "Failed") return JobStatus::failed;
  refuse(at, fmt::format("status is '{}'", name), "Pass, Killed or Failed");
}

// How many GPUs an attempt had on one server.
std::uint32_t ElementReader::read_gpus(value detail) {
  expect(detail, json_type::object, "detail", "an array of objects with ip and gpus");
  const char* at = start_of(detail);
  std::uint32_t gpus = 0;
  bool told = false;
  for (auto field : detail.get_object()) {
    if (field.unescaped_key().value() != "gpus") continue;
    told = true;
    for_each(field.value(), "gpus", [&](value gpu) {
      expect(gpu, json_type::string, "a GPU", "its name");
      ++gpus;
    });
  }
  if (!told) refuse(at, "detail has no 'gpus'", "an array of the GPUs' names");
  return gpus;
}

Attempt ElementReader::read_attempt(value element) {
  expect(element, json_type::object, "attempt", "an object with start_time, end_time and detail");
  const char* at = start_of(element);
  Attempt attempt;
  bool told = false;
  for (auto field : element.get_object()) {
    const std::string_view key = field.unescaped_key();
    if (key == "start_time") {
      attempt.start_s = read_time(field.value(), key);
    } else if (key == "end_time") {
      attempt.end_s = read_time(field.value(), key);
    } else if (key == "detail") {
      told = true;
      for_each(field.value(), key, [&](value detail) { attempt.gpus += read_gpus(detail); });
    }
  }
  if (!told) refuse(at, "attempt has no 'detail'", "an array of its servers and their GPUs");
  return attempt;
}

void ElementReader::read_job(value element, LoggedJob& logged) {
  bool status = false, submitted = false, attempts = false;
  for (auto field : element.get_object()) {
    const std::string_view key = field.unescaped_key();
    if (key == "jobid") {
      logged.job.id = read_text(field.value(), key);
    } else if (key == "status") {
      logged.job.status = read_status(field.value());
      status = true;
    } else if (key == "vc") {
      logged.job.virtual_cluster = read_text(field.value(), key);
    } else if (key == "user") {
      logged.job.user = read_text(field.value(), key);
    } else if (key == "submitted_time") {
      logged.submit_s = read_time(field.value(), key);
      submitted = true;
    } else if (key == "attempts") {
      attempts = true;
      for_each(field.value(), key,
               [&](value attempt) { logged.attempts.push_back(read_attempt(attempt)); });
    }
  }
  const auto need = [&](bool told, std::string_view name) {
    if (!told) refuse(elements_.text().data(), fmt::format("job has no '{}'", name), kJobShape);
  };
  need(!logged.job.id.empty(), "jobid");
  need(status, "status");
  need(submitted, "submitted_time");
  need(attempts, "attempts");
}

void ElementReader::read(LoggedJob& logged) {
  logged.job = {};
  logged.job.position = elements_.position();
  logged.submit_s.reset();
  logged.attempts.clear();
  const std::string_view text = elements_.text();
  if (text.front() != '{') {
    refuse(text.data(), fmt::format("has {} where a job should be", text.substr(0, 40)), kJobShape);
  }
  const auto refuse_json = [&](const char* at, std::string_view reason) {
    refuse(std::clamp(at, text.data(), text.data() + text.size() - 1),
           fmt::format("is not JSON ({})", reason.substr(0, reason.find_first_of(":."))),
           "a job as a JSON object");
  };
  simdjson::ondemand::document document;
  const auto error =
      parser_.iterate(text.data(), text.size(), text.size() + JsonElements::kPadding).get(document);
  if (error != simdjson::SUCCESS) refuse_json(text.data(), simdjson::error_message(error));
  try {
    read_job(document.get_value(), logged);
  } catch (const simdjson::simdjson_error& wrong) {
    const char* at = text.data();
    if (document.current_location().get(at) != simdjson::SUCCESS) at = text.data();
    refuse_json(at, wrong.what());
  }
}

// When a job ran.
struct Runs {
  double first_s = 0;  // start of the first attempt
  double last_s = 0;   // end of the last, or its start while it is open
  double idle_s = 0;   // between attempts
  bool overlap = false;
};

// Of attempts in order, all with their start.
Runs runs_of(const std::vector<Attempt>& attempts) {
  Runs runs;
  runs.first_s = runs.last_s = attempts.front().start();
  for (const Attempt& attempt : attempts) {
    runs.overlap = runs.overlap || attempt.start() < runs.last_s;
    runs.idle_s += std::max(0.0, attempt.start() - runs.last_s);
    runs.last_s = std::max(runs.last_s, attempt.end());
  }
  return runs;
}

bool ends_before_start(const Attempt& attempt) { return attempt.end() < attempt.start(); }

// What is odd about the times of the attempts, which are put in order.
std::optional<Finding> order_attempts(std::vector<Attempt>& attempts) {
  const auto started = [](const Attempt& one) { return one.start_s.has_value(); };
  const auto ended = [](const Attempt& one) { return one.end_s.has_value(); };
  if (std::none_of(attempts.begin(), attempts.end(),
                   [&](const Attempt& one) { return started(one) || ended(one); })) {
    return Finding::never_started;
  }
  if (!std::all_of(attempts.begin(), attempts.end(), started)) return Finding::missing_time;
  std::stable_sort(attempts.begin(), attempts.end(),
                   [](const Attempt& a, const Attempt& b) { return a.start() < b.start(); });
  // Only the last may still be running.
  if (!std::all_of(attempts.begin(), attempts.end() - 1, ended)) return Finding::missing_time;
  if (std::any_of(attempts.begin(), attempts.end(), ends_before_start)) {
    return Finding::negative_duration;
  }
  return std::nullopt;
}

// The GPUs of the first attempt that has any, as the data set's own analysis counts them.
std::uint32_t gpus_of(const std::vector<Attempt>& attempts) {
  const auto first = std::find_if(attempts.begin(), attempts.end(),
                                  [](const Attempt& one) { return one.gpus > 0; });
  return first == attempts.end() ? 0 : first->gpus;
}

// Adds the job unless its times drop it; whether it was added.
bool add_job(LoggedJob& logged, TraceBuilder& builder) {
  TraceJob& job = logged.job;
  std::vector<Attempt>& attempts = logged.attempts;
  const auto admits = [&](Finding finding) {
    return builder.admits(finding, job.position, job.id).has_value();
  };
  if (!logged.submit_s) return admits(Finding::missing_time);
  if (const auto finding = order_attempts(attempts)) {
    if (!admits(*finding)) return false;
    for (Attempt& attempt : attempts) {
      if (ends_before_start(attempt)) attempt.end_s = attempt.start_s;
    }
  }
  const Runs runs = runs_of(attempts);
  if (runs.overlap && !admits(Finding::overlapping_attempts)) return false;
  job.submit_s = *logged.submit_s;
  job.start_s = runs.first_s;
  job.duration_s = runs.last_s - runs.first_s - runs.idle_s;
  job.workers = gpus_of(attempts);
  if (!attempts.back().end_s) job.status = JobStatus::unfinished;
  builder.add(std::move(job), runs.idle_s);
  return true;
}

void take(LoggedJob& logged, TraceBuilder& builder) {
  for (const Attempt& attempt : logged.attempts) {
    if (attempt.start_s) builder.saw(*attempt.start_s);
    if (attempt.end_s) builder.saw(*attempt.end_s);
  }
  if (!add_job(logged, builder) && logged.submit_s) builder.saw_submission(*logged.submit_s);
}

void report(const InputError& error, Problems& problems) {
  for (const Diagnostic& found : error.diagnostics()) {
    problems.add(found.where, found.what, found.expected);
  }
}

// Where the text breaks off, what was wrong before is told too.
bool next_element(JsonElements& elements, Problems& problems) {
  try {
    return elements.next();
  } catch (const InputError& error) {
    report(error, problems);
    problems.throw_if_any();
    throw;
  }
}

}  // namespace

bool recognizes_philly(const TraceInput& input) {
  std::string_view head = input.head;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::size_t first = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  head.remove_prefix(first);
  return (head.starts_with('[') || head.starts_with('{')) &&
         head.find("\"jobid\"") != std::string_view::npos &&
         head.find("\"attempts\"") != std::string_view::npos;
}

Trace read_philly_trace(TraceInput input, TraceBuilder& builder) {
  JsonElements elements(input.file, std::move(input.source), "a job");
  ElementReader reader(input.file, elements);
  LoggedJob logged;
  builder.times_are(TraceTimes::calendar);
  while (next_element(elements, builder.problems())) {
    try {
      reader.read(logged);
    } catch (const InputError& error) {
      report(error, builder.problems());
      builder.add({});  // it has problems: it counts as a bad row
      continue;
    }
    take(logged, builder);
  }
  return builder.finish({.format = "philly"});
}

}  // namespace mosim
