#pragma once

#include <string>

#include "base/io/files.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

/// Writes the run as Chrome trace events (JSON), which ui.perfetto.dev and chrome://tracing draw as a Gantt
/// chart. Times are microseconds since the start of the run on the master's clock.
/// 1. Each host is a group.
/// 2. Each rank has a row with one bar per computed chunk ("columns 0-51", its stamps as arguments).
/// 3. Rows below it show the chunks on the way to and from that rank.
/// 4. A rank under load has a row that shows when the load was planned to be on.
///
/// Passes the events piece by piece to `out`, on the calling thread, without gathering them in memory. Throws
/// what `out` throws.
void write_trace_events(const RunRecord& record, const ByteSink& out);

/// Writes the trace into a file; an old file stays complete until the new one is. Throws Error (run_failed)
/// if writing fails. Check before the run with require_writable whether the file can be written.
void write_trace(const RunRecord& record, const std::string& path);

}  // namespace loadshare
