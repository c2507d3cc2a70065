#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/names.hpp"
#include "base/types.hpp"

namespace loadshare {

/// The times of one chunk. All instants are seconds since the start of the run, on the master's clock; stamps
/// of other hosts are corrected by the measured clock offset.
struct ChunkRecord {
  Chunk chunk;
  WorkerId worker{};
  double assigned_s = 0;  ///< the master assigned it
  double received_s = 0;  ///< the worker had received it with its input
  double begun_s = 0;     ///< computing began
  double ended_s = 0;     ///< computing ended
  double returned_s = 0;  ///< the master had received its result
  double cpu_s = 0;       ///< processor time between begun and ended
  /// A copy given at the tail, whose result arrived second and was dropped.
  bool is_duplicate = false;
  double waited_s = 0;  ///< wait for the shared input, between begun and ended
};

/// A peer is a rank of a program without a master.
enum class Role { worker, master, working_master, peer };

/// The name of a role in the summary, the JSON line and the trace.
inline constexpr Choices<Role, 4> roles{{{"worker", Role::worker},
                                         {"master", Role::master},
                                         {"working master", Role::working_master},
                                         {"peer", Role::peer}}};

/// The host name of a rank that had vanished when the run ended.
inline constexpr std::string_view vanished_host = "?";

/// The times of one rank (or thread), in seconds. computing + stolen + communicating + idle + away should
/// equal the makespan; the difference is `unaccounted_s`.
struct RankRecord {
  int rank = 0;  ///< MPI's rank, or the number of a thread, of which the master has 0
  Role role = Role::worker;
  std::optional<WorkerId> worker;  ///< nothing for a coordinating master; a peer's is its rank
  std::string host;
  std::vector<int> cpus;      ///< processors that it may run on
  double capacity = 1;        ///< the part of a processor that a control group's limit grants it
  double limit_period_s = 0;  ///< period of that limit; 0: no limit
  double tick_s = 0;          ///< interval in which the kernel checks that limit; 0: no limit
  Index chunks = 0;           ///< chunks with committed results
  Index iterations = 0;       ///< iterations with committed results
  /// Work in the application's unit, including results that arrived second and were dropped; nothing:
  /// unknown.
  std::optional<double> work;
  double computing_s = 0;      ///< processor time while computing, child processes included
  double stolen_s = 0;         ///< other programs had the core while there was something to compute
  double communicating_s = 0;  ///< moving chunks, results and the shared input
  double idle_s = 0;           ///< nothing to do (see RunRecord::is_idle_known), or blocked
  double blocked_s = 0;        ///< the part of idle_s within iterations that slept or waited for something
  double away_s = 0;           ///< before it joined, after it left, or without any record of it
  double unaccounted_s = 0;    ///< makespan minus all of the above
  double waiting_cpu_s = 0;    ///< processor time burnt while idle (see --wait)
  /// Processor time of the thread that dispatches, or that carries messages for the computing thread.
  double coordinating_cpu_s = 0;
  double clock_offset_s = 0;  ///< this host's clock minus the master's
};

/// The times of a rank relative to the speed that its host grants. Time in which its iterations waited is
/// part of their cost, so it counts as computing. Under a limit a rank has less processor time than wall time
/// although no other program took any: the host is slow. Its time of computing is then its processor time
/// divided by `capacity`. The part that exceeds its busy time is taken from its idle time, in which the host
/// withheld time that the rank had used in advance.
struct TimesAtHostSpeed {
  double computing_s = 0;
  double stolen_s = 0;
  double communicating_s = 0;
  double idle_s = 0;
  double waiting_s = 0;  ///< the part of the computing in which iterations waited
};

/// Converts recorded times; `capacity` is in (0, 1]. The sum of the times is preserved.
TimesAtHostSpeed at_host_speed(TimesAtHostSpeed recorded, double capacity);
TimesAtHostSpeed at_host_speed(const RankRecord& rank);
/// Returns the share of a rank's computing in which its iterations waited. It is 0 below a tenth, because the
/// cause may then be something other than the loop's body.
double waiting_share(const RankRecord& rank);

/// An interval with a background load, in seconds since the start of the run.
struct LoadPhase {
  double from_s = 0;
  double to_s = 0;
  double share = 0;
};

/// The effect of one rank's background load. Shares are relative to what the rank has of a processor, while
/// the load was on.
struct LoadedRank {
  int rank = 0;
  std::string host;
  int cpu = 0;                         ///< the processor that load and rank shared
  double capacity = 1;                 ///< the undisturbed rank's part of it: less than 1 under a limit
  double phase_s = 0;                  ///< position in its cycle at the start of the run
  double share_asked = 0;              ///< requested mean share of the load while on
  double share_taken = 0;              ///< share by the load's own processor clock
  std::optional<double> worker_share;  ///< the worker's actual share, by its chunks' processor time
  double cpu_s = 0;                    ///< processor time of the load
  double on_s = 0;
  double late_p99_s = 0;  ///< delay of its changes, 99th percentile
  double late_max_s = 0;
  Index cycles = 0;  ///< number of times that it came on
  std::vector<LoadPhase> phases;
};

/// The background load of a run.
struct LoadRecord {
  std::string spec;
  std::vector<LoadedRank> ranks;
};

/// The effective value of a run option: any JSON scalar.
using OptionValue = std::variant<bool, Index, double, std::string>;

/// A result that only the application knows: a benchmark's own rate, the number of checks passed.
struct Finding {
  std::string name;  ///< key in the JSON line
  OptionValue value;
  std::string label;  ///< label in the summary: "rate"
  std::string text;   ///< text in the summary: "68.3 Mop/s"
};

/// The properties of a loop that do not depend on its workers; predictions of other runs need them.
struct LoopRecord {
  double input_bytes = 0;   ///< input of all iterations together
  double result_bytes = 0;  ///< results of all iterations together
  double shared_bytes = 0;  ///< broadcast input, which every host needs
  double shared_piece_bytes = 0;
  /// For unequal iterations: the work of equal parts of the loop (the last may be shorter), in the
  /// application's unit. Empty: the work is the number of iterations.
  std::vector<double> work;

  /// Returns the number of iterations in each part.
  static constexpr Index part_of(Index iterations) {
    constexpr Index most_parts = 1024;
    return iterations <= most_parts ? 1 : (iterations + most_parts - 1) / most_parts;
  }
};

/// How `--scheduler auto` chose the technique of a run.
struct ChoiceRecord {
  std::string scheduler;           ///< canonical spec of the latest choice
  std::vector<std::string> level;  ///< specs that were not distinguishable from the best, with the chosen one
  double predicted_s = 0;          ///< forecast makespan
  double survey_s = 0;             ///< time before the first comparison
  double choosing_s = 0;           ///< time spent on choosing
  double budget_s = 0;             ///< time allowed for choosing
  /// Compared ones of the `candidates`, in the latest comparison; 0: the run was too short for one.
  Index tried = 0;
  Index candidates = 0;
  std::string known_from;  ///< the file with knowledge from before the run; empty: there was none
};

/// The cost of an iteration in chunks as narrow as the run's, compared with wider ones.
struct WidthCost {
  /// - run: estimated from the run's own chunks of both widths.
  /// - repetition: measured on the same iterations, computed in both widths by turns on the master's host
  ///   after the run, for a repeatable workload.
  enum class Source { run, repetition };

  Index narrow = 0;  ///< half of the run's iterations were in chunks of at most this size
  Index wide = 0;
  double ratio = 0;  ///< ratio of their processor times
  Source source = Source::run;
};
inline constexpr Choices<WidthCost::Source, 2> width_cost_sources{
    {{"run", WidthCost::Source::run}, {"repetition", WidthCost::Source::repetition}}};

/// The effect of giving unfinished chunks again.
struct ReissueRecord {
  Index again = 0;   ///< iterations given to a further worker while another had them, or later
  Index twice = 0;   ///< iterations computed twice: a second result arrived after the first counted
  Index copies = 0;  ///< chunks given to a further worker at the tail
  Index first = 0;   ///< those of the copies whose result arrived first
  std::map<WorkerId, Index> saved;  ///< by worker: chunks that it held and others finished before it
};

/// A change of a worker's membership, in an elastic farm.
struct MemberEvent {
  /// back: after silence, the master has received from it again.
  enum class What { joined, silent, back, drained, set_aside, left, lost };

  double at_s = 0;  ///< since the start
  What what{};
  WorkerId worker{};
  Index chunks = 0;  ///< chunks that it held then, if others had to compute them
};
inline constexpr Choices<MemberEvent::What, 7> member_events{{{"joined", MemberEvent::What::joined},
                                                              {"silent", MemberEvent::What::silent},
                                                              {"heard", MemberEvent::What::back},
                                                              {"drained", MemberEvent::What::drained},
                                                              {"set aside", MemberEvent::What::set_aside},
                                                              {"left", MemberEvent::What::left},
                                                              {"lost", MemberEvent::What::lost}}};

/// A chunk, or a part of one, that was given to a further worker.
struct GivenAgain {
  double at_s = 0;  ///< since the start
  WorkerId worker{};
  Chunk chunk;
};

/// The membership changes of a run, and the outcome of each assigned chunk: `given` is the sum of the
/// outcomes below it.
struct MembershipRecord {
  std::vector<MemberEvent> events;      ///< in order of time
  std::vector<GivenAgain> given_again;  ///< in order of time
  Index given = 0;
  Index counted = 0;      ///< returned, and at least a part counted
  Index second = 0;       ///< returned after others had been first
  Index failed = 0;       ///< the worker threw
  Index handed_back = 0;  ///< recalled before they were begun, or their worker left on its own
  Index lost = 0;         ///< lost with their worker
  Index left = 0;         ///< still assigned, but no longer needed, when the run ended

  bool adds_up() const { return given == counted + second + failed + handed_back + lost + left; }
};

/// The outcome of a run's journal.
struct JournalRecord {
  Index recovered = 0;        ///< iterations recovered from an earlier run
  Index kept = 0;             ///< iterations written by this run
  std::uint64_t bytes = 0;    ///< of their results
  Index syncs = 0;            ///< number of waits for the disk
  double longest_sync_s = 0;  ///< longest of these waits
  double cpu_s = 0;           ///< processor time of the writing thread
  std::string problem = {};   ///< why writing failed and results could be lost; empty: it did not fail

  bool is_safe() const { return problem.empty(); }
};

/// An iteration that was left out because it cannot be computed.
struct SkippedIteration {
  Index iteration = 0;
  WorkerId worker{};   ///< the last worker that failed on it
  std::string reason;  ///< as that worker reported
};

/// A forecast made during the run.
struct EtaRecord {
  double at_s = 0;        ///< since the start
  double makespan_s = 0;  ///< the forecast makespan
};

/// The complete record of a run: plain data on the master. The summary, the JSON line, the trace and the
/// granularity figures are derived from it and from nothing else.
struct RunRecord {
  static constexpr int schema = 1;

  std::string app;
  std::string scheduler;  ///< canonical spec; empty without a master
  Index workers = 0;
  Index iterations = 0;
  /// The application's word for iterations, in the plural: "columns".
  std::string iteration_name = "iterations";
  double makespan_s = 0;  ///< from the start (inputs in the master's memory) to the last result in its place
  /// The part of the makespan until the shared input was on every host, including hosts that joined late. It
  /// is 0 if nothing was sent, or all of it before the start.
  double shared_input_s = 0;
  std::optional<bool> verified;      ///< nothing: not requested
  std::optional<double> operations;  ///< floating-point operations, if the application counts them
  std::vector<Finding> findings;
  std::optional<Index> seed;
  std::string transport;  ///< "threads", "mpi" or "tcp"
  std::vector<std::string> hosts;
  std::map<std::string, std::string> versions;
  std::string binding;  ///< how ranks are bound to processors: "core", "none", ...
  std::map<std::string, OptionValue> options;
  std::optional<ChoiceRecord> choice;   ///< nothing: the user chose the technique
  std::vector<EtaRecord> etas;          ///< in order of time
  std::optional<WidthCost> width_cost;  ///< nothing: not known
  std::optional<LoopRecord> loop;       ///< nothing: no master distributes it
  std::vector<RankRecord> ranks;
  bool is_idle_known = true;                   ///< false: waiting for others counts as communicating
  std::optional<LoadRecord> load;              ///< nothing: no background load
  std::optional<ReissueRecord> reissue;        ///< nothing: chunks cannot be given again
  std::optional<MembershipRecord> membership;  ///< nothing: all workers were present from start to end
  std::optional<JournalRecord> journal;        ///< nothing: no journal
  std::vector<SkippedIteration> skipped;
  /// In order of return; if there are very many, a sample (see MeasuredChunks).
  std::vector<ChunkRecord> chunks;
  Index chunks_total = 0;          ///< committed
  Index chunks_timed = 0;          ///< including dropped copies; not all, if they are shorter than 10 us
  bool is_thinned = false;         ///< `chunks` is incomplete: some chunks were not timed or are not listed
  std::vector<std::string> notes;  ///< for the summary: fallbacks taken, times that do not add up
};

/// Returns whether the run had a master; otherwise all ranks are peers.
bool has_master(const RunRecord& record);

/// The unaccounted share of the makespan up to which a rank's times count as adding up.
inline constexpr double account_tolerance = 0.01;

/// Returns the largest absolute unaccounted share of the makespan over all ranks; 0 without a makespan.
double worst_account_gap(const RunRecord& record);

/// Returns whether every rank's times add up to the makespan within `account_tolerance`.
bool account_closes(const RunRecord& record);

/// The times of all workers, as shares of the time in which they were present, at the speed that their hosts
/// grant. All are 0 if no time passed.
struct WorkerShares {
  double computing = 0;
  double stolen = 0;
  double communicating = 0;
  double idle = 0;
  double waiting = 0;  ///< the part of computing in which the loop's body waited
};
WorkerShares worker_shares(const RunRecord& record);

/// Returns the processor time of all ranks while they waited, in seconds, and whether it deserves a line.
double burnt_s(const RunRecord& record);
bool burns(const RunRecord& record);

/// Returns the floating-point rate in operations per second, if operations were counted and time passed.
std::optional<double> operation_rate(const RunRecord& record);

}  // namespace loadshare
