#include "trace/mosim_row.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace mosim {
namespace {

void append_count(std::string& out, std::uint64_t value) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

void append_number(std::string& out, double value) {
  // Whole milliseconds, as nearly all times are, without the search for the shortest form.
  const double milliseconds = std::floor(value * 1000 + 0.5);
  if (value >= 0 && milliseconds < 0x1p53 && milliseconds / 1000 == value) {
    const auto whole = static_cast<std::uint64_t>(milliseconds);
    append_count(out, whole / 1000);
    const auto rest = static_cast<unsigned>(whole % 1000);
    if (rest == 0) return;
    const std::array<char, 4> digits{'.', static_cast<char>('0' + rest / 100),
                                     static_cast<char>('0' + rest / 10 % 10),
                                     static_cast<char>('0' + rest % 10)};
    out.append(digits.data(), rest % 10 != 0 ? 4 : rest % 100 != 0 ? 3 : 2);
    return;
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

// Blanks at the ends would be taken off by a reader.
void append_text(std::string& out, std::string_view text) {
  const bool padded = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!padded && text.find_first_of(",\"\r\n\t") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

void append_mosim_header(std::string& out, const MosimColumns& columns) {
  out += "job_id,model,arrival_time,duration,gpu_workers,gpu_per_worker";
  if (columns.cpus) out += ",cpu_per_gpu_worker";
  if (columns.iterations) out += ",num_iteration";
  if (columns.user) out += ",user";
  if (columns.virtual_cluster) out += ",virtual_cluster";
  if (columns.status) out += ",status";
  if (columns.gpu_type) out += ",gpu_type";
  out += '\n';
}

void append_mosim_row(std::string& out, const TraceJob& job, const MosimColumns& columns) {
  append_text(out, job.id);
  out += ',';
  append_text(out, job.model);
  out += ',';
  append_number(out, job.submit_s);
  out += ',';
  append_number(out, job.duration_s);
  out += ',';
  append_count(out, job.workers);
  out += ',';
  append_count(out, job.gpus_per_worker);
  if (columns.cpus) {
    out += ',';
    append_count(out, job.cpus_per_worker);
  }
  if (columns.iterations) {
    out += ',';
    if (job.iterations) append_number(out, *job.iterations);
  }
  const auto text = [&](bool wanted, std::string_view value) {
    if (!wanted) return;
    out += ',';
    append_text(out, value);
  };
  text(columns.user, job.user);
  text(columns.virtual_cluster, job.virtual_cluster);
  text(columns.status, status_name(job.status));
  text(columns.gpu_type, job.gpu_type);
  out += '\n';
}

}  // namespace mosim
