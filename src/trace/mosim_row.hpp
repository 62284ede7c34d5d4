// Jobs as rows of the `mosim` CSV format.
#pragma once

#include <string>

#include "mosim/trace.hpp"

namespace mosim {

// The optional columns of a file. job_id, model, arrival_time, duration, gpu_workers and
// gpu_per_worker are always there.
struct MosimColumns {
  bool cpus = false;
  bool iterations = false;
  bool user = false;
  bool virtual_cluster = false;
  bool status = false;
  bool gpu_type = false;
};

void append_mosim_header(std::string& out, const MosimColumns& columns);

// Text is quoted where CSV needs it; numbers take the shortest form that reads back the same.
void append_mosim_row(std::string& out, const TraceJob& job, const MosimColumns& columns);

}  // namespace mosim
