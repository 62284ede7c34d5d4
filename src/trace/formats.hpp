// One function per trace format: reads the rows of `options.file` in the file's order.
#pragma once

#include <vector>

#include "mosim/trace.hpp"

namespace mosim {

// `mosim`: the authors' CSV. Source: the public artifact's data/trace/*.csv.
[[nodiscard]] std::vector<TraceJob> read_mosim_trace(const TraceOptions& options);

// `philly-csv`: timestamp,duration,num_gpus,gpu_time,cluster. Source: the Pollux artifact's cut of
// Microsoft's philly-traces (Jeon et al., ATC 2019).
[[nodiscard]] std::vector<TraceJob> read_philly_csv_trace(const TraceOptions& options);

}  // namespace mosim
