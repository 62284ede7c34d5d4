// Rows of the `mosim` format, for whoever makes jobs one after the other. It holds everything of a
// TraceJob but its position.
#pragma once

#include <cstdint>
#include <string>

#include "mosim/trace.hpp"

namespace mosim {

// Which of the optional columns a file has. Without a choice, all but `time_zero`.
struct MosimColumns {
  std::uint32_t optional = 0xffffffffU;  // a bit for each, in the order of the format's table
  std::string time_zero = {};            // the calendar time of time 0; empty: no such column
};

// The columns that the jobs of the trace need.
[[nodiscard]] MosimColumns mosim_columns(const Trace& trace);

// Adds those that the job needs.
void add_columns_of(const TraceJob& job, MosimColumns& columns);

void append_mosim_header(std::string& out, const MosimColumns& columns = {});
void append_mosim_row(std::string& out, const TraceJob& job, const MosimColumns& columns = {});

}  // namespace mosim
