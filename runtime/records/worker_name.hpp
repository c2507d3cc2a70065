#pragma once

#include <string>

#include "base/types.hpp"

namespace loadshare {

/// How people know a worker: by its rank, which means the same in every text, table, record and command.
/// Under MPI it is MPI's rank. Otherwise the thread that only dispatches is rank 0, and workers are numbered
/// from 1, in an elastic farm in the order in which their processes join. There a worker keeps its rank until
/// the master ends.
struct WorkerName {
  Index rank = 0;
  std::string host = {};     ///< empty: not known
  std::string address = {};  ///< of its process in an elastic farm; empty: it needs none
};

/// Returns "rank 3 on node7 (10.0.0.7:4711)". For several workers of one process, `name` is that of the
/// first: "ranks 3-4 on node7 (10.0.0.7:4711)".
std::string text_of(const WorkerName& name, Index workers = 1);

}  // namespace loadshare
