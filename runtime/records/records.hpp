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

/// When one chunk was where. All instants are seconds since the start of the run, on the master's clock
/// (another host's stamps are shifted by its measured clock offset).
struct ChunkRecord {
  Chunk chunk;
  WorkerId worker{};
  double assigned_s = 0;  ///< the master gave it away
  double received_s = 0;  ///< the worker had it, input and all
  double begun_s = 0;     ///< computing began
  double ended_s = 0;     ///< computing ended
  double returned_s = 0;  ///< the master had its result
  double cpu_s = 0;       ///< processor time used between begun and ended
  /// A copy given again at the tail whose result came second and was dropped.
  bool is_duplicate = false;
  double waited_s = 0;  ///< of the time between begun and ended, for the shared input
};

/// A peer is a rank of a program without a master.
enum class Role { worker, master, working_master, peer };

/// The one word for a role in the summary, the JSON line and the trace.
inline constexpr Choices<Role, 4> roles{{{"worker", Role::worker},
                                         {"master", Role::master},
                                         {"working master", Role::working_master},
                                         {"peer", Role::peer}}};

/// In place of the name of the host of a rank that had vanished when the run ended.
inline constexpr std::string_view vanished_host = "?";

/// Where one rank's (or thread's) time went, in seconds. computing + stolen + communicating + idle + away
/// should equal the makespan; what is missing is `unaccounted_s`.
struct RankRecord {
  int rank = 0;  ///< of MPI; without it the number of a thread, the master's being 0
  Role role = Role::worker;
  std::optional<WorkerId> worker;  ///< nothing for a master that only coordinates; a peer's is its rank
  std::string host;
  std::vector<int> cpus;      ///< the processors it may run on
  double capacity = 1;        ///< of a processor, what a control group's limit leaves it
  double limit_period_s = 0;  ///< in which the group is granted that anew; 0: there is no limit
  double tick_s = 0;          ///< how often the kernel looks whether it is used up; 0: ditto
  Index chunks = 0;           ///< whose results were committed
  Index iterations = 0;       ///< ditto
  /// In the application's own unit, also of results that came second and were dropped; nothing: not known.
  std::optional<double> work;
  double computing_s = 0;      ///< processor time used while computing, child processes included
  double stolen_s = 0;         ///< somebody else had the core, while there was something to compute
  double communicating_s = 0;  ///< moving chunks, results and the shared input
  double idle_s = 0;           ///< nothing to do (see RunRecord::tells_idle), or blocked
  double blocked_s = 0;        ///< of that, within iterations: they slept, or waited for something
  double away_s = 0;           ///< it had not come, was gone, or nothing is known of it: not its time
  double unaccounted_s = 0;    ///< makespan minus all of these
  double waiting_cpu_s = 0;    ///< processor time burnt while idle (see --wait)
  double coordinating_cpu_s =
      0;                      ///< of the thread that dispatches, or carries messages beside the computing one
  double clock_offset_s = 0;  ///< this host's clock minus the master's
};

/// Where a rank's time went at the speed that its host grants it. Time in which its iterations waited is part
/// of their cost, so it counts as computing. Under a limit a rank has less processor time than wall time,
/// although no other program took any: the host is slow. Its processor time over `capacity` is how long it
/// computed. The part that exceeds its busy time was taken from its idle time, in which the host made it pay
/// for having run ahead of its share.
struct TimesAtHostSpeed {
  double computing_s = 0;
  double stolen_s = 0;
  double communicating_s = 0;
  double idle_s = 0;
  double waiting_s = 0;  ///< the part of the computing in which iterations waited
};

/// Of the times as a record has them; `capacity` in (0, 1]. Their sum stays what it is.
TimesAtHostSpeed at_host_speed(TimesAtHostSpeed recorded, double capacity);
TimesAtHostSpeed at_host_speed(const RankRecord& rank);
/// The share of a rank's computing in which its iterations waited. It is 0 if that is less than a tenth,
/// because the cause may then be something other than the loop's body.
double waiting_share(const RankRecord& rank);

/// A stretch of time with a background load, seconds since the start of the run.
struct LoadPhase {
  double from_s = 0;
  double to_s = 0;
  double share = 0;
};

/// What the background load of one rank did. Shares are of what the rank has of a processor, while it was on.
struct LoadedRank {
  int rank = 0;
  std::string host;
  int cpu = 0;             ///< the processor that load and rank shared
  double capacity = 1;     ///< what the rank has of it when nobody disturbs it: less than 1 under a limit
  double phase_s = 0;      ///< where in its cycle it was when the run began
  double share_asked = 0;  ///< for the load; the mean over the time it was on
  double share_taken = 0;  ///< by its own processor clock
  std::optional<double> worker_share;  ///< what the worker really got, by its chunks' processor time
  double cpu_s = 0;                    ///< processor time that the load took
  double on_s = 0;
  double late_p99_s = 0;  ///< how late it came and went
  double late_max_s = 0;
  Index cycles = 0;  ///< how often it came on
  std::vector<LoadPhase> phases;
};

/// The background load of a run.
struct LoadRecord {
  std::string spec;
  std::vector<LoadedRank> ranks;
};

/// A run option as it was in force: any of a JSON scalar.
using OptionValue = std::variant<bool, Index, double, std::string>;

/// Something that an application alone knows of its run: a benchmark's own rate, how many checks passed.
struct Finding {
  std::string name;  ///< in the JSON line
  OptionValue value;
  std::string label;  ///< in the summary: "rate"
  std::string text;   ///< ditto: "68.3 Mop/s"
};

/// What a loop is made of, whoever computes it: what a prediction of other runs needs.
struct LoopRecord {
  double input_bytes = 0;   ///< of all iterations together
  double result_bytes = 0;  ///< ditto
  double shared_bytes = 0;  ///< what every host needs
  double shared_piece_bytes = 0;
  /// Where iterations are unequal: the work in equal parts of the loop (the last may be shorter), in the
  /// application's own unit; empty: it is the number of iterations.
  std::vector<double> work;

  /// How many iterations each of these parts has.
  static constexpr Index part_of(Index iterations) {
    constexpr Index most_parts = 1024;
    return iterations <= most_parts ? 1 : (iterations + most_parts - 1) / most_parts;
  }
};

/// How a run's technique was chosen, where that was left to the program (`--scheduler auto`).
struct ChoiceRecord {
  std::string scheduler;           ///< canonical spec: the latest
  std::vector<std::string> level;  ///< that could not be told from the best, the chosen included
  double predicted_s = 0;          ///< the makespan that was forecast
  double survey_s = 0;             ///< until it first looked who would be better
  double choosing_s = 0;           ///< that the choosing took
  double budget_s = 0;             ///< that it might have taken
  Index tried = 0;  ///< of so many `candidates`, when it last looked; 0: never, the run was too short
  Index candidates = 0;
  std::string known_from;  ///< the file of what was known before the run; empty: nothing was
};

/// The cost of an iteration in chunks as narrow as the run's, compared with wider ones.
struct WidthCost {
  /// run: estimated from the run's own chunks of both widths. repetition: measured on the same iterations,
  /// computed both ways in turn on the master's host after the run, of a workload that is repeatable.
  enum class Source { run, repetition };

  Index narrow = 0;  ///< half of the run's iterations were in chunks of so many or fewer
  Index wide = 0;
  double ratio = 0;  ///< of the processor time they took
  Source source = Source::run;
};
inline constexpr Choices<WidthCost::Source, 2> width_cost_sources{
    {{"run", WidthCost::Source::run}, {"repetition", WidthCost::Source::repetition}}};

/// What giving unfinished chunks again came to.
struct ReissueRecord {
  Index again = 0;   ///< iterations given to one more worker while another had them, or later
  Index twice = 0;   ///< iterations whose second result arrived after the first counted: computed twice
  Index copies = 0;  ///< chunks given to one more worker at the tail
  Index first = 0;   ///< of these, those whose result arrived before the other's
  std::map<WorkerId, Index> saved;  ///< by worker: chunks that it had, and others finished before it
};

/// A worker came or went, where workers may.
struct MemberEvent {
  enum class What { joined, silent, heard, drained, set_aside, left, lost };

  double at_s = 0;  ///< since the start
  What what{};
  WorkerId worker{};
  Index chunks = 0;  ///< that it held then, where others were to compute them
};
inline constexpr Choices<MemberEvent::What, 7> member_events{{{"joined", MemberEvent::What::joined},
                                                              {"silent", MemberEvent::What::silent},
                                                              {"heard", MemberEvent::What::heard},
                                                              {"drained", MemberEvent::What::drained},
                                                              {"set aside", MemberEvent::What::set_aside},
                                                              {"left", MemberEvent::What::left},
                                                              {"lost", MemberEvent::What::lost}}};

/// A chunk, or a part of one, was given to one more worker.
struct GivenAgain {
  double at_s = 0;  ///< since the start
  WorkerId worker{};
  Chunk chunk;
};

/// Who came and went, and what became of each chunk that was given: `given` is the sum of all that follows.
struct MembershipRecord {
  std::vector<MemberEvent> events;      ///< in order of time
  std::vector<GivenAgain> given_again;  ///< ditto
  Index given = 0;
  Index counted = 0;      ///< came back, and something of it counted
  Index second = 0;       ///< came back when others had been first
  Index failed = 0;       ///< the worker threw
  Index handed_back = 0;  ///< were recalled before they were begun, or their worker left of its own will
  Index lost = 0;         ///< with their worker
  Index left = 0;         ///< were out, unwanted, when the run ended

  bool adds_up() const { return given == counted + second + failed + handed_back + lost + left; }
};

/// What a run's journal came to.
struct JournalRecord {
  Index recovered = 0;        ///< iterations that an earlier run had finished
  Index kept = 0;             ///< iterations that this one wrote down
  std::uint64_t bytes = 0;    ///< of their results
  Index syncs = 0;            ///< times that it waited for the disk
  double longest_sync_s = 0;  ///< of these
  double cpu_s = 0;           ///< processor time of the thread that wrote
  std::string problem = {};   ///< why writing failed, so that some of it would be lost; empty: it did not

  bool is_safe() const { return problem.empty(); }
};

/// An iteration that was left out because it cannot be computed.
struct SkippedIteration {
  Index iteration = 0;
  WorkerId worker{};   ///< that failed on it last
  std::string reason;  ///< as that worker said
};

/// What was forecast while the run went on.
struct EtaRecord {
  double at_s = 0;        ///< since the start
  double makespan_s = 0;  ///< forecast then
};

/// Everything one run leaves behind, plain data on the master. The summary, the JSON line, the trace and the
/// granularity figures are derived from it and from nothing else.
struct RunRecord {
  static constexpr int schema = 1;

  std::string app;
  std::string scheduler;  ///< the spec in canonical form; empty where there is no master
  Index workers = 0;
  Index iterations = 0;
  std::string iteration_name = "iterations";  ///< the application's plural word for them: "columns"
  double makespan_s = 0;  ///< from the start (inputs in the master's memory) to the last result at its place
  /// Of that, until the shared input was on every host, also those of workers that came late (0: nothing
  /// travelled, or all of it before the start).
  double shared_input_s = 0;
  std::optional<bool> verified;      ///< nothing: not asked for
  std::optional<double> operations;  ///< floating-point operations, where the application counts them
  std::vector<Finding> findings;
  std::optional<Index> seed;
  std::string transport;  ///< "threads", "mpi" or "tcp"
  std::vector<std::string> hosts;
  std::map<std::string, std::string> versions;
  std::string binding;  ///< "core", "none", ...: how ranks are bound to processors
  std::map<std::string, OptionValue> options;
  std::optional<ChoiceRecord> choice;   ///< nothing: the technique was given
  std::vector<EtaRecord> etas;          ///< in order of time
  std::optional<WidthCost> width_cost;  ///< nothing: not known
  std::optional<LoopRecord> loop;       ///< nothing: there is no master who would hand it out
  std::vector<RankRecord> ranks;
  bool tells_idle = true;                      ///< else waiting for others is counted as communicating
  std::optional<LoadRecord> load;              ///< nothing: nobody was disturbed on purpose
  std::optional<ReissueRecord> reissue;        ///< nothing: no chunk could be given again
  std::optional<MembershipRecord> membership;  ///< nothing: all were there from the start to the end
  std::optional<JournalRecord> journal;        ///< nothing: none was kept
  std::vector<SkippedIteration> skipped;
  std::vector<ChunkRecord> chunks;  ///< in order of return; of very many some, see MeasuredChunks
  Index chunks_total = 0;           ///< committed
  Index chunks_timed = 0;           ///< dropped copies among them; not all, if they are shorter than 10 us
  bool is_thinned = false;          ///< `chunks` are not all: some were not timed, or are not listed
  std::vector<std::string> notes;   ///< said in the summary: fallbacks taken, an account that does not close
};

/// Whether chunks were handed out; else all ranks are peers.
bool has_master(const RunRecord& record);

/// The share of the makespan that may stay unaccounted for before an account counts as not closing.
inline constexpr double account_tolerance = 0.01;

/// The largest |unaccounted| share of the makespan over all ranks; 0 for a run without a makespan.
double worst_account_gap(const RunRecord& record);

/// Whether every rank's account closes within `account_tolerance`.
bool account_closes(const RunRecord& record);

/// Where the workers' time went, as shares of the time that they were there, at the speed that their hosts
/// grant; all 0 where no time passed.
struct WorkerShares {
  double computing = 0;
  double stolen = 0;
  double communicating = 0;
  double idle = 0;
  double waiting = 0;  ///< of the computing: in the loop's body
};
WorkerShares worker_shares(const RunRecord& record);

/// Processor time that all ranks used while they waited, in seconds, and whether it is worth a line.
double burnt_s(const RunRecord& record);
bool burns(const RunRecord& record);

/// The floating-point rate in operations per second, where operations are counted and time went by.
std::optional<double> operation_rate(const RunRecord& record);

}  // namespace loadshare
