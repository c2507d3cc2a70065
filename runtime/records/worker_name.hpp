#pragma once

#include <string>

#include "base/types.hpp"

namespace loadshare {

/// How people know a worker: by its rank, which means the same in every text, table, record and command.
/// Under MPI it is MPI's. Otherwise the thread that only dispatches is rank 0, and workers are numbered from
/// 1 on, in an elastic farm as their processes join. There a rank stays its worker's own until the master
/// ends.
struct WorkerName {
  Index rank = 0;
  std::string host = {};     ///< empty: not known
  std::string address = {};  ///< of its process in an elastic farm; empty: it needs none
};

/// "rank 3 on node7 (10.0.0.7:4711)". Of several workers of one process: the first one's name, and how many
/// there are ("ranks 3-4 on node7 (10.0.0.7:4711)").
std::string text_of(const WorkerName& name, Index workers = 1);

}  // namespace loadshare
