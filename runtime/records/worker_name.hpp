#pragma once

#include <string>

#include "base/types.hpp"

namespace loadshare {

/// The name of a worker for people: its rank, the same in every text, table, record and command. Under MPI it
/// is MPI's rank. Otherwise a thread that only dispatches is rank 0, and workers are numbered from 1. In an
/// elastic farm that is the order in which their processes join, and a worker keeps its rank until the master
/// ends.
struct WorkerName {
  Index rank = 0;
  std::string host = {};     ///< empty: unknown
  std::string address = {};  ///< of its process in an elastic farm; empty: not needed
};

/// Returns "rank 3 on node7 (10.0.0.7:4711)". For several workers of one process, `name` is that of the
/// first: "ranks 3-4 on node7 (10.0.0.7:4711)".
std::string text_of(const WorkerName& name, Index workers = 1);

struct RunRecord;
/// Returns the same text for a worker of a record, without its address.
std::string worker_text(const RunRecord& record, WorkerId worker);

}  // namespace loadshare
