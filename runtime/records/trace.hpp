#pragma once

#include <string>

#include "base/io/files.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

/// Writes the run as Chrome trace events (JSON), which ui.perfetto.dev and chrome://tracing draw as a Gantt
/// chart: a group a host, a row a rank with one bar a chunk computed ("columns 0-51", its stamps as
/// arguments), and below it rows with what was on the way to and from that rank. Microseconds since the start
/// of the run on the master's clock. A rank under load has a row that shows when it was meant to be on.
/// Events are handed out piece by piece, on the calling thread, not gathered in memory. Throws what `out`
/// throws.
void write_trace_events(const RunRecord& record, const ByteSink& out);

/// The same into a file; an old file stays whole until the new one is complete. Throws Error (run_failed)
/// where writing fails; whether it could be written at all is asked before the run with require_writable.
void write_trace(const RunRecord& record, const std::string& path);

}  // namespace loadshare
