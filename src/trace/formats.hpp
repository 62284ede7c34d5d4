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
  bool reads_folders = false;
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

// `pai-2020`: the tables of Alibaba's cluster-trace-gpu-v2020 (Weng et al., NSDI 2022).
[[nodiscard]] bool recognizes_pai_2020(const TraceInput& input);
[[nodiscard]] Trace read_pai_2020_trace(TraceInput input, TraceBuilder& builder);

// `openb`: the pods of Alibaba's cluster-trace-gpu-v2023 (Weng et al., ATC 2023).
[[nodiscard]] bool recognizes_openb(const TraceInput& input);
[[nodiscard]] Trace read_openb_trace(TraceInput input, TraceBuilder& builder);

// `elasticflow`: the traces of Microsoft ITP (Gu et al., ASPLOS 2023).
[[nodiscard]] bool recognizes_elasticflow(const TraceInput& input);
[[nodiscard]] Trace read_elasticflow_trace(TraceInput input, TraceBuilder& builder);

// `tiresias`: the traces of Tiresias' simulator (Gu et al., NSDI 2019).
[[nodiscard]] bool recognizes_tiresias(const TraceInput& input);
[[nodiscard]] Trace read_tiresias_trace(TraceInput input, TraceBuilder& builder);

// `muri`: the traces of Muri's simulator (Zhao et al., SIGCOMM 2022), in milliseconds.
[[nodiscard]] bool recognizes_muri(const TraceInput& input);
[[nodiscard]] Trace read_muri_trace(TraceInput input, TraceBuilder& builder);

// `gavel`: the tab-separated traces of Gavel (Narayanan et al., OSDI 2020).
[[nodiscard]] bool recognizes_gavel(const TraceInput& input);
[[nodiscard]] Trace read_gavel_trace(TraceInput input, TraceBuilder& builder);

// `pollux`: the workloads of Pollux (Qiao et al., OSDI 2021); they tell no durations.
[[nodiscard]] bool recognizes_pollux(const TraceInput& input);
[[nodiscard]] Trace read_pollux_trace(TraceInput input, TraceBuilder& builder);

// `generic`: any CSV, with its columns in TraceOptions::columns. Only by name.
[[nodiscard]] bool recognizes_generic(const TraceInput& input);
[[nodiscard]] Trace read_generic_trace(TraceInput input, TraceBuilder& builder);

}  // namespace mosim
