// The formats: each has a reader, and a way to recognise it by content. docs/formats.md describes
// them for users.
#pragma once

#include <span>
#include <string_view>

#include "mosim/trace.hpp"
#include "trace/builder.hpp"

namespace mosim {

struct TraceReader {
  TraceFormat format;
  // Whether the input is of this format, and of no other.
  bool (*recognizes)(const TraceInput& input);
  // Reads the whole input into the builder.
  Trace (*read)(TraceInput input, TraceBuilder& builder);
};

// In the order in which they are listed and asked.
[[nodiscard]] std::span<const TraceReader> trace_readers();

// Whether the first row names all of these columns.
[[nodiscard]] bool has_columns(const TraceInput& input,
                               std::initializer_list<std::string_view> columns);

// `mosim`: the authors' CSV. Source: the public artifact's data/trace/*.csv.
[[nodiscard]] bool recognizes_mosim(const TraceInput& input);
[[nodiscard]] Trace read_mosim_trace(TraceInput input, TraceBuilder& builder);

// `philly-csv`: timestamp,duration,num_gpus,gpu_time,cluster. Source: the Pollux artifact's cut of
// Microsoft's philly-traces (Jeon et al., ATC 2019).
[[nodiscard]] bool recognizes_philly_csv(const TraceInput& input);
[[nodiscard]] Trace read_philly_csv_trace(TraceInput input, TraceBuilder& builder);

// `philly`: the original cluster_job_log, a JSON array of jobs with their attempts. Source:
// github.com/msr-fiddle/philly-traces (Jeon et al., ATC 2019).
[[nodiscard]] bool recognizes_philly(const TraceInput& input);
[[nodiscard]] Trace read_philly_trace(TraceInput input, TraceBuilder& builder);

// `helios`: cluster_log.csv of SenseTime's clusters. Source:
// github.com/S-Lab-System-Group/HeliosData (Hu et al., SC 2021).
[[nodiscard]] bool recognizes_helios(const TraceInput& input);
[[nodiscard]] Trace read_helios_trace(TraceInput input, TraceBuilder& builder);

// `acme`: trace_seren.csv and trace_kalos.csv of Shanghai AI Lab. Source:
// github.com/InternLM/AcmeTrace (Hu et al., NSDI 2024).
[[nodiscard]] bool recognizes_acme(const TraceInput& input);
[[nodiscard]] Trace read_acme_trace(TraceInput input, TraceBuilder& builder);

}  // namespace mosim
