#pragma once

#include <vector>

#include "runtime/records/measured_chunks.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

enum class Accounted { itself, not_at_all };

/// Settles the times of a worker that was not there all the time, or did not say where its time went: what is
/// known of a stay without an account is that of the chunks that returned; the rest of the stay was idle, and
/// what lies outside of all stays is `away_s`. Where some of its chunks were not timed, such stays are not
/// known and count as away.
///
/// `row`: with the times of its account, which is of its last stay, where it has one. `chunks`: of this
/// worker, on the run's time line. `events`: who came and went; none where all are there from the start on,
/// until the last that came of them.
void fill_stays(RankRecord& row, Accounted accounted, const WorkerChunks& chunks,
                const std::vector<MemberEvent>& events, double makespan_s);

}  // namespace loadshare
