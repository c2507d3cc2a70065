#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "models/farm/loop_cost.hpp"
#include "models/farm/processors.hpp"
#include "models/messages/message_costs.hpp"
#include "runtime/dispatch/dispatcher.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::predictor {

/// A worker and the processor it has.
struct WorkerModel {
  double speed = 1;               ///< chunks take LoopCost::seconds / speed
  std::size_t width = 0;          ///< which of Scenario::widths
  Availability load;              ///< what a background load leaves
  std::optional<CpuQuota> grant;  ///< what a control group grants; nothing: all of the processor
  /// Which of Scenario::links its messages go by; nothing: it sees the master's memory and needs none.
  std::optional<std::size_t> link;
  /// Whether the master's part of the shared input for its host comes to it: one worker of a host is so.
  bool leads_host = true;
  double polling_latency_s = 0;  ///< until it sees a message that lies there: half a nap, where it naps
  double report_s = 0;  ///< processor time, undisturbed, that a report costs it, and taking the next order
  /// Of the time until all hosts have the broadcast input, the share in which its chunks do not get on: see
  /// SharedArrival.
  double relay_share = 0;
  Stay stay;  ///< not of the master's own

  /// What of its speed is known before a run (Farm).
  double granted_share() const { return grant ? std::min(grant->share, 1.0) : 1; }
};

/// What a chunk costs the processor that decides who works on what.
struct ServingCosts {
  double report_s = 0;           ///< processor time that taking a result takes
  double order_s = 0;            ///< ditto, deciding and giving a chunk
  double polling_latency_s = 0;  ///< until it sees a result that lies there
};

/// The processor that decides who works on what.
struct MasterModel {
  /// The worker that computes on the very same processor, which then has less of it. Its load and grant are
  /// the master's too.
  std::optional<std::size_t> own_worker;
  Availability load;              ///< where it only coordinates
  std::optional<CpuQuota> grant;  ///< ditto
  ServingCosts far;               ///< of workers that have a link
  ServingCosts near;              ///< of those that see its memory
  double journal_each_s = 0;      ///< processor time that keeping an iteration's result takes it

  const ServingCosts& serving(const WorkerModel& worker) const { return worker.link ? far : near; }
};

/// What travels for a chunk.
struct ChunkBytes {
  double order = 64;       ///< without its input
  double report = 64;      ///< without its result
  double input_each = 0;   ///< an iteration
  double result_each = 0;  ///< ditto
};

/// What every host needs before it can end its first chunk: it leaves the master once and is passed on from
/// host to host.
struct SharedInputModel {
  double transfer_s = 0;  ///< for which the master's port is taken by it; 0: there is none
  double window_s = 0;    ///< of that, what may be under way to one host at first
  double tail_s = 0;      ///< from its last byte's leaving until it is on every host
  double begins_at = 0;   ///< share of the time until it is on every host, before which none is on any
  /// Part of a chunk still to be computed when the last of the broadcast input arrives during it.
  double last_part = 0;
};

/// What messages do that meet at the master's port out, or at its port in.
enum class PortOrder {
  /// Each waits for those before it, as messages of one connection do; so does the shared input, behind the
  /// orders of the start. The quickest to simulate.
  in_turn,
  /// They have equal parts of the bandwidth, as connections of TCP side by side. To every other host goes an
  /// equal part of the shared input, behind that host's first order.
  shared,
  /// As shared, but once the shared input has left, orders wait for those before them that go by a link of
  /// the same costs: the master writes each whole into its connection, and they stand in its link's queue as
  /// they
  /// came. Who goes by a slower link keeps nobody else from leaving. Reports come by links of their own and
  /// meet packet by packet.
  queued
};

/// Everything that a farm's run depends on but the technique.
struct Scenario {
  LoopCost loop;
  std::vector<WidthFactor> widths{{}};
  std::vector<WorkerModel> workers;
  std::vector<std::shared_ptr<const communication::MessageCosts>> links;
  MasterModel master;
  ChunkBytes bytes;
  SharedInputModel shared;
  PortOrder ports = PortOrder::in_turn;
  double port_burst_s = 0;   ///< of shared ports: see SharedPort
  std::size_t prefetch = 0;  ///< chunks queued at a worker beyond the one it computes
  Reissue reissue = Reissue::off;
  std::optional<double> patience_s;  ///< see DispatchRules; while somebody is yet to come
  ChunkScatter scatter;              ///< the mean of a chunk's time is the model's
  /// Standard deviation over mean of an iteration's time, as reported to schedulers, also in a run without
  /// scatter.
  double reported_deviation = 0;
};

/// What became of one worker.
struct WorkerOutcome {
  Index chunks = 0;
  Index iterations = 0;
  double computing_s = 0;  ///< wall time between beginning and end of its chunks, but for waiting for the
                           ///< shared input
  double last_end_s = 0;   ///< when it ended its last
};

/// What a run in virtual time came to. Times are seconds from its start.
struct Outcome {
  double makespan_s = 0;  ///< until the last result was taken
  Index chunks = 0;
  Index most_at_once = 1;  ///< chunks in the largest bundle
  /// Of all iterations, as LoopCost has them, with the deviations of their chunks; nothing: these have none.
  std::optional<double> work_s;
  Index messages = 0;    ///< orders and reports between hosts
  double bytes_out = 0;  ///< through the master's port, without the shared input
  double bytes_in = 0;
  double master_busy_s = 0;    ///< work of the master's processor in serving
  double port_out_busy_s = 0;  ///< the master's, the shared input included
  double port_in_busy_s = 0;
  double shared_input_s = 0;  ///< until it was on every host
  Index lost_iterations = 0;  ///< begun by workers that were lost with them
  double lost_s = 0;          ///< for which these had computed them
  std::vector<WorkerOutcome> workers;
  /// From when each was there, and until it held nothing any more; empty: all were throughout.
  std::vector<Stay> stays;

  Stay stay_of(std::size_t worker) const {
    return stays.empty() ? Stay{0, makespan_s, Stay::End::leaves} : stays[worker];
  }
};

}  // namespace loadshare::predictor
