#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::profile {

/// The kind of an MPI call, by the ranks that it waits for. The analysis of an event depends on this kind
/// only.
enum class CallKind : std::uint8_t {
  send,           ///< blocking, any mode
  send_start,     ///< non-blocking or persistent: a request represents it until it completes
  receive,        ///< blocking; also the receive of a matched probe
  receive_start,  ///< non-blocking or persistent
  exchange,       ///< MPI_Sendrecv and MPI_Sendrecv_replace: a send and a receive in one call
  wait,           ///< MPI_Wait...: its parts are the requests that it completed
  test,           ///< MPI_Test...: likewise; `repeats` counts unsuccessful tests
  probe,          ///< blocking: waits for a message, which a later receive takes
  probe_test,     ///< MPI_Iprobe, MPI_Improbe
  /// Collectives in which every rank waits for every other (barrier, allreduce, new communicators).
  all_to_all,
  one_to_all,         ///< every rank waits for the root (broadcast, scatter)
  all_to_one,         ///< the root waits for every rank (gather, reduce)
  prefix,             ///< a rank waits for those before it (scan)
  neighbors,          ///< neighbourhood collectives: the parts name the ranks that it receives from
  loose_collective,   ///< collectives that may or may not synchronize: on files, freeing of communicators
  making_group,       ///< collective over the members of the new communicator, which the event names
  collective_start,   ///< non-blocking collectives: a request represents it
  window_collective,  ///< MPI_Win_fence, creation and freeing of windows
  window_start,       ///< MPI_Win_start: its parts name the targets that must post
  window_post,        ///< MPI_Win_post: its parts name the origins
  window_complete,    ///< MPI_Win_complete
  window_wait,        ///< MPI_Win_wait: waits until every origin has completed
  window_lock,        ///< lock, unlock, flush
  window_transfer,    ///< put, get, accumulate
  file_transfer,      ///< one rank reads or writes a file
  local,              ///< waits for no other rank
  other,              ///< other timed calls; it is unknown whether and for which rank they wait
};

enum class SendMode : std::uint8_t { none, standard, buffered, synchronous, ready };

/// One row of the table of calls.
struct CallFacts {
  std::string_view name;  ///< "MPI_Isend"
  CallKind kind;
  SendMode mode = SendMode::none;
};

/// Distinguishes calls from entries that describe the preceding call.
enum class Part : std::uint8_t {
  /// The call itself. The event of a send, a blocking receive, one of their starts or a successful probe
  /// describes its message. A blocking receive or probe has the true source, tag and bytes; a receive's start
  /// has the requested ones.
  call,
  /// A message that the call received, with its true source, tag and bytes; not for blocking receives.
  received,
  completed,  ///< a request (of a send or a collective) that the call completed
  member,     ///< `peer` is a member of the group that a window call names, or a neighbour that sends data
};

/// One MPI call of one rank, or a part of it. Ranks are always those of MPI_COMM_WORLD.
///
/// - A message to or from MPI_PROC_NULL does not count as one. A send, a send's start or a blocking receive
///   then has peer -1, and a receive's start has request 0. The same holds for a call that failed.
/// - Creating a persistent request (MPI_Send_init) has request 0. Each start of it is an event with the
///   number of the creating call and a new request. MPI_Startall is one event per request; all but the first
///   have no duration.
/// - Cancelled and freed requests never complete. MPI_Cancel and MPI_Request_free have the request's number,
///   or 0 if it was not active.
/// - A matched message keeps one number from the MPI_Mprobe or MPI_Improbe that found it to its MPI_Mrecv or
///   MPI_Imrecv.
/// - Open MPI gives several sends that complete immediately the same handle. Each completes once, but the
///   profile does not distinguish which wait completed which send.
/// - MPI_Win_lock has the tag `exclusive_lock` or `shared_lock`. MPI_Win_fence has the tag `nothing_precedes`
///   if its program asserts that.
struct Event {
  /// Since the start of the run, on rank 0's clock; parts have the start of their call.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;     ///< of the message; for a collective: what this rank contributed and received
  std::int32_t peer = -1;      ///< destination, source or root; -1: none, or any source
  std::int32_t tag = -1;       ///< -1: none, or any tag
  std::uint32_t request = 0;   ///< number of the request, unique within the rank, from 1; 0: none
  std::uint32_t repeats = 0;   ///< number of unsuccessful tests or probes within begin..end
  std::int64_t inside_ns = 0;  ///< the part of begin..end inside MPI (less than all if `repeats` > 0)
  /// The part of it in which other programs had the processor; for long calls only.
  std::int64_t stolen_ns = 0;
  std::uint32_t place = 0;         ///< index into RankProfile::places; 0: unknown
  std::uint32_t communicator = 0;  ///< index into Profile::communicators, which contains windows too
  std::uint16_t call = 0;          ///< index into the table of calls
  Part part = Part::call;
  bool is_in_place = false;  ///< a collective in which a buffer of this rank was MPI_IN_PLACE
};

inline constexpr std::int32_t shared_lock = 0;
inline constexpr std::int32_t exclusive_lock = 1;
inline constexpr std::int32_t nothing_precedes = 1;

/// Returns the row of the call table for an event.
const CallFacts& facts(const Event& event);

struct Communicator {
  std::string name;          ///< "MPI_COMM_WORLD", a name that the program gave, or the call that created it
  std::vector<int> members;  ///< ranks of MPI_COMM_WORLD, in the communicator's order; empty: unknown
};

/// An interval of time, in nanoseconds as in Event.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// A part of a rank's time, with the same sums as RankProfile.
struct Portion {
  std::vector<Span> spans;  ///< ascending and disjoint
  std::int64_t inside_ns = 0;
  std::int64_t outside_ns = 0;
  std::int64_t stolen_ns = 0;
  std::int64_t blocked_ns = 0;
  std::int64_t stolen_inside_ns = 0;
};

/// The activity of one rank between the end of MPI_Init and the start of MPI_Finalize. The sums cover all of
/// that time; the events cover as much as the limit allowed.
struct RankProfile {
  int rank = 0;
  std::string host;
  bool has_finalized = false;
  bool has_aborted = false;  ///< it called MPI_Abort, which ended the run
  /// How the rank ended without MPI_Finalize: "SIGTERM", "exit". Empty if it had no time to record that. The
  /// profile then ends with the `open_call`, or with the last heartbeat, less than 0.1 s before the end.
  std::string ended_by;
  /// The call that the rank was in when it ended. If the time of its end is unknown, the call is assumed to
  /// last as long as any rank of the run is known to have lived. With heartbeats that is at most 0.1 s after
  /// the last one.
  std::optional<Event> open_call;
  bool has_heartbeat = false;  ///< it wrote heartbeats: it ended soon after the last one
  bool ends_in_call = false;   ///< the open call is also the last event: no event before it was dropped
  std::int64_t begin_ns = 0;   ///< as in Event
  std::int64_t end_ns = 0;
  std::int64_t inside_ns = 0;   ///< in MPI
  std::int64_t outside_ns = 0;  ///< between calls: running, stolen and blocked
  /// The part of outside_ns in which it could have run, but other programs had the processor.
  std::int64_t stolen_ns = 0;
  /// The part of outside_ns in which it slept, or waited for a file or a thread.
  std::int64_t blocked_ns = 0;
  /// The part of inside_ns in which it could have run, but other programs had the processor.
  std::int64_t stolen_inside_ns = 0;
  /// The part of the rank's time that its program marks as counting, by MPI_Pcontrol. A call with level 0
  /// ends counting, any other level starts it. If the first call starts counting, the time before it does not
  /// count. Nothing: no such call, or events were dropped.
  std::optional<Portion> counted;
  bool is_stolen_known = true;  ///< false: the kernel reported only a part, and the three sums lack the rest
  std::int64_t other_threads_cpu_ns = 0;     ///< processor time of the process's other threads
  std::uint64_t calls_of_other_threads = 0;  ///< MPI calls of other threads, which are not among the events
  std::vector<int> cpus;                     ///< processors that it may run on; empty: unknown
  double capacity = 1;  ///< the part of a processor that a control group's limit grants this rank
  std::uint64_t events_dropped = 0;  ///< beyond the limit, or because the disk was full
  std::int64_t events_end_ns = 0;    ///< the events are complete up to this instant
  std::vector<Event> events;         ///< in call order
  std::vector<std::string> places;   ///< "solve()+0x12 at prog+0x1234"; [0] is empty
  std::vector<std::string> modules;  ///< paths, at the time of the run, of the files that places name
};

/// The profile of one run of any MPI program.
struct Profile {
  std::string program;  ///< the command line
  /// MPI's settings on rank 0, by name: `mpi` (the version), `network`, and control variables that select how
  /// messages travel. Empty: an earlier loadshare wrote the profile.
  std::map<std::string, std::string> mpi;
  int ranks_started = 0;
  std::vector<RankProfile> ranks;           ///< ascending; missing ranks are absent and named in `notes`
  std::vector<Communicator> communicators;  ///< [0] is MPI_COMM_WORLD
  std::vector<std::string> notes;           ///< for people: why the profile is partial
};

/// Returns whether every rank is present, called MPI_Finalize and lost no event.
bool is_complete(const Profile& profile);

/// Reads a file that libloadshare_profile.so wrote. Throws UsageError with file and reason if it is not a
/// profile, has another version, is truncated or mixes runs. Reads the profile of an interrupted run, which
/// is then not complete.
Profile read_profile(const std::string& path);

/// Returns whether the file begins with a profile's magic number.
bool is_profile(const std::string& path);

/// Returns the profiles of a command in the order in which its runs began: `path`, then `path.2`, `path.3`
/// and so on.
std::vector<std::string> profiles_of_command(const std::string& path, std::uint64_t command_id);

}  // namespace loadshare::profile
