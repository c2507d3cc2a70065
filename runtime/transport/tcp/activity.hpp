#pragma once

#include <optional>
#include <vector>

#include "base/types.hpp"
#include "runtime/dispatch/decision.hpp"
#include "runtime/transport/channel.hpp"

namespace loadshare::tcp {

/// What each worker of a run computes, and how fast it has been: for who asks while the run goes on, and for
/// how long its chunk may take. Pure: told by the master's end what is given and reported.
class Activity {
 public:
  void given(WorkerId worker, const Assignment& assignment, double now_s);
  void reported(WorkerId worker, const Report& report, double now_s);
  /// It holds nothing any more.
  void gone(WorkerId worker) { of(worker).given.clear(); }

  struct Now {
    Chunk computes = {};  ///< of no iterations: it has none
    double since_s = 0;
    Index done = 0;                    ///< iterations that it has returned
    std::optional<double> per_s = {};  ///< iterations while it computed
  };
  Now now(WorkerId worker) const;
  /// Seconds that the chunk which it computes is expected to take, by its own pace or, where it has returned
  /// nothing, by all workers'; 0: not known.
  double expected_s(WorkerId worker) const;

 private:
  struct Pace {
    double seconds = 0;
    Index iterations = 0;
  };
  struct Given {
    ChunkId id;
    Chunk chunk;
  };
  struct Worker {
    std::vector<Given> given;  // oldest first
    double since_s = 0;        // it has computed the oldest
    Index done = 0;
    Pace pace;
  };

  Worker& of(WorkerId worker);
  const Worker* find(WorkerId worker) const;

  std::vector<Worker> workers_;  // by number
  Pace pace_;                    // of all together
};

}  // namespace loadshare::tcp
