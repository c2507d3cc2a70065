#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::profile {

/// What a call of MPI waits for; what is done with its event depends on this alone.
enum class CallKind : std::uint8_t {
  send,           ///< blocking, any mode
  send_start,     ///< non-blocking or persistent: a request stands for it until it is completed
  receive,        ///< blocking; also the receive of a matched probe
  receive_start,  ///< non-blocking or persistent
  exchange,       ///< MPI_Sendrecv and its like: a send and a receive in one call
  wait,           ///< MPI_Wait...: its parts are the requests it completed
  test,           ///< MPI_Test...: ditto; those in vain are counted in `repeats`
  probe,          ///< blocking: waits for a message, which a later receive takes
  probe_test,     ///< MPI_Iprobe, MPI_Improbe
  all_to_all,  ///< collectives in which everybody waits for everybody (barrier, allreduce, new communicators)
  one_to_all,  ///< everybody waits for the root (broadcast, scatter)
  all_to_one,  ///< the root waits for everybody (gather, reduce)
  prefix,      ///< a rank waits for those before it (scan)
  neighbors,   ///< neighbourhood collectives: its parts name those whose data it waits for
  loose_collective,   ///< collectives that may wait for all, and need not: on files, the freeing of groups
  making_group,       ///< collective over the members of the new communicator, which stands in the event
  collective_start,   ///< non-blocking collectives: a request stands for it
  window_collective,  ///< MPI_Win_fence and the making and freeing of windows
  window_start,       ///< MPI_Win_start: its parts name the targets that must post
  window_post,        ///< MPI_Win_post: its parts name the origins
  window_complete,    ///< MPI_Win_complete
  window_wait,        ///< MPI_Win_wait: waits until every origin has completed
  window_lock,        ///< lock, unlock, flush
  window_transfer,    ///< put, get, accumulate
  file_transfer,      ///< one rank reads or writes a file
  local,              ///< waits for nobody
  other,              ///< anything else that is timed: whether it waits, and for whom, is not told
};

enum class SendMode : std::uint8_t { none, standard, buffered, synchronous, ready };

/// One entry of the table of calls.
struct CallFacts {
  std::string_view name;  ///< "MPI_Isend"
  CallKind kind;
  SendMode mode = SendMode::none;
};

/// Whether an event is a call, or tells more of the call before it.
enum class Part : std::uint8_t {
  /// The call itself. For a send, a blocking receive and their starts also its message; for a probe that
  /// found one
  /// too. A blocking receive or probe has the true source, tag and bytes; a receive's start what was asked
  /// for.
  call,
  received,   ///< a message received by that call, with its true source, tag and bytes; not of blocking
              ///< receives
  completed,  ///< a request (of a send, of a collective) completed by that call
  member,     ///< `peer` is one of the group that a window call names, or that a neighbour's data come from
};

/// One call of MPI by one rank, or a part of it. Ranks are those of MPI_COMM_WORLD throughout.
///
/// No message is one to or from MPI_PROC_NULL: a send, send's start or blocking receive has peer -1 then, a
/// receive's start has request 0. So has a call that failed, and the making of a persistent request
/// (MPI_Send_init): each start of it is an event with that call's number and a new request. MPI_Startall is
/// an event a request, all but the first without duration. Cancelled and freed requests are never completed;
/// MPI_Cancel and MPI_Request_free have their number, 0 where they were not under way. A matched message has
/// one number from the MPI_Mprobe or MPI_Improbe that found it to its MPI_Mrecv or MPI_Imrecv.
/// Of sends that were over at once Open MPI gives several the same handle: each is completed once, but which
/// by which wait is not told apart. MPI_Win_lock has the tag `exclusive_lock` or `shared_lock`, and
/// MPI_Win_fence `nothing_precedes` where its program asserts that.
struct Event {
  std::int64_t begin_ns = 0;  ///< since the run's begin, on rank 0's clock; parts have their call's
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;         ///< of the message; of a collective: what this rank put in and got out
  std::int32_t peer = -1;          ///< destination, source, root; -1: none, or any source
  std::int32_t tag = -1;           ///< -1: none, or any tag
  std::uint32_t request = 0;       ///< number of the request, unique in the rank, from 1; 0: none
  std::uint32_t repeats = 0;       ///< for tests and probe tests: how often in vain within begin..end
  std::int64_t inside_ns = 0;      ///< of begin..end, what passed inside MPI (less than all for `repeats`)
  std::int64_t stolen_ns = 0;      ///< of that, in which others had the processor; told of long calls alone
  std::uint32_t place = 0;         ///< index into RankProfile::places; 0: not known
  std::uint32_t communicator = 0;  ///< index into Profile::communicators, where windows stand too
  std::uint16_t call = 0;          ///< index into the table of calls
  Part part = Part::call;
  bool is_in_place = false;  ///< a collective of which one of this rank's buffers was MPI_IN_PLACE
};

inline constexpr std::int32_t shared_lock = 0;
inline constexpr std::int32_t exclusive_lock = 1;
inline constexpr std::int32_t nothing_precedes = 1;

/// The call table's row of an event.
const CallFacts& facts(const Event& event);

struct Communicator {
  std::string name;          ///< "MPI_COMM_WORLD", else as it was named or made
  std::vector<int> members;  ///< ranks of MPI_COMM_WORLD, in the communicator's order; empty: not known
};

/// A stretch of time, in nanoseconds as in Event.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Some of a rank's time, as RankProfile has all of it.
struct Portion {
  std::vector<Span> spans;  ///< in their order, apart from each other
  std::int64_t inside_ns = 0;
  std::int64_t outside_ns = 0;
  std::int64_t stolen_ns = 0;
  std::int64_t blocked_ns = 0;
  std::int64_t stolen_inside_ns = 0;
};

/// What one rank did between the end of MPI_Init and the begin of MPI_Finalize. The sums cover all of it, the
/// events only what the limit had room for.
struct RankProfile {
  int rank = 0;
  std::string host;
  bool has_finalized = false;
  bool has_aborted = false;  ///< it called MPI_Abort, and the run ended with that
  /// Without MPI_Finalize: "SIGTERM", "exit"; empty where it did not get to say it. The profile ends with its
  /// last sign of life then, which is less than 0.1 s old, unless it has an `open_call`.
  std::string ended_by;
  /// That it never came out of. Where it is not known when it ended, that is taken to have lasted as long as
  /// any rank of the run is known to have lived, of one that gives signs of life 0.1 s more than is known.
  std::optional<Event> open_call;
  bool gives_signs = false;   ///< of life, from time to time: it is dead where they end
  bool ends_in_call = false;  ///< that is the last of the events, too: none before it was dropped
  std::int64_t begin_ns = 0;  ///< as in Event
  std::int64_t end_ns = 0;
  std::int64_t inside_ns = 0;         ///< in MPI
  std::int64_t outside_ns = 0;        ///< between calls: running + stolen + blocked
  std::int64_t stolen_ns = 0;         ///< of that: could have run, and others had the processor
  std::int64_t blocked_ns = 0;        ///< of that: slept, or waited for a file or a thread
  std::int64_t stolen_inside_ns = 0;  ///< of inside_ns: could have run, and others had the processor
  /// What counts of that, if its program says so by MPI_Pcontrol: nothing from level 0 on, all from any
  /// other, and nothing before the first where that is above 0. Nothing: it does not say, or events were
  /// dropped.
  std::optional<Portion> counted;
  bool tells_stolen = true;                  ///< else the kernel did not say it all, and the three lack it
  std::int64_t other_threads_cpu_ns = 0;     ///< processor time of this process's other threads
  std::uint64_t calls_of_other_threads = 0;  ///< calls of MPI that are not among the events
  std::vector<int> cpus;                     ///< the processors it may run on; empty: not known
  double capacity = 1;               ///< of a processor, what a control group's limit leaves this rank
  std::uint64_t events_dropped = 0;  ///< beyond the limit, or for want of room on the disk
  std::int64_t events_end_ns = 0;    ///< up to when the events are complete
  std::vector<Event> events;         ///< in the order of their calls
  std::vector<std::string> places;   ///< "solve()+0x12 at prog+0x1234"; [0] is empty
  std::vector<std::string> modules;  ///< paths of the files that places name, such as prog, as they were then
};

/// The profile of one run of any MPI program.
struct Profile {
  std::string program;  ///< its command
  /// How MPI was set up on rank 0: its `mpi` version, its settings for its ways through the network by name,
  /// the `network`. Empty: an earlier loadshare wrote it.
  std::map<std::string, std::string> mpi;
  int ranks_started = 0;
  std::vector<RankProfile> ranks;  ///< by rank; those that are missing are left out, and named in `notes`
  std::vector<Communicator> communicators;  ///< [0] is MPI_COMM_WORLD
  std::vector<std::string> notes;           ///< what makes it partial, for people
};

/// Whether every rank is there, came to MPI_Finalize, and lost no event.
bool is_complete(const Profile& profile);

/// Reads what libloadshare_profile.so wrote. Throws Error (usage) with file and reason where it is no
/// profile, is of another version, is truncated or mixed up; a run that was cut short is read, and is not
/// complete.
Profile read_profile(const std::string& path);

/// Whether the file begins as a profile does.
bool is_profile(const std::string& path);

/// Returns the profiles of a command: `path`, and `path.2`, `path.3` and so on of its further runs, in the
/// order in which they began.
std::vector<std::string> profiles_of_command(const std::string& path, std::uint64_t command_id);

}  // namespace loadshare::profile
