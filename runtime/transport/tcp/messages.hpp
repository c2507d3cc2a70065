#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "base/names.hpp"
#include "base/types.hpp"
#include "runtime/dispatch/decision.hpp"
#include "runtime/transport/channel.hpp"
#include "runtime/transport/task_signals.hpp"
#include "runtime/transport/tcp/frame.hpp"

namespace loadshare::tcp {

// The fields of each kind of frame, in their order. A run's frames carry its number, for what is still on its
// way when a run ends is not to be taken for the next one's.

/// The introduction of a process that wants to take part. In the frame its texts are any bytes; the receiver
/// makes them printable().
struct Hello {
  static constexpr FrameKind kind = FrameKind::hello;
  std::string program, version, processor, host;
  std::uint32_t workers = 1;
  std::string known_as = {};    ///< Welcome::name of its earlier connection, which was cut; empty: it is new
  std::string started_as = {};  ///< what the master that has started it calls it; empty: somebody else has
  std::uint64_t build = 0;      ///< own_build()

  void each(auto&& field) {
    field(program), field(version), field(processor), field(host), field(workers), field(known_as),
        field(started_as), field(build);
  }
};

struct Welcome {
  static constexpr FrameKind kind = FrameKind::welcome;
  std::uint32_t rank = 0;
  std::string name = {};       ///< that only the two of them know
  bool may_come_back = false;  ///< the master: killed, it would be resumed from its journal

  void each(auto&& field) { field(rank), field(name), field(may_come_back); }
};

/// An error's text.
struct Refusal {
  static constexpr FrameKind kind = FrameKind::refusal;
  std::string problem, why, suggestion;

  void each(auto&& field) { field(problem), field(why), field(suggestion); }
};

/// A part of a text, which is the payload; parts come in order.
struct TextPart {
  static constexpr FrameKind kind = FrameKind::text;
  std::uint64_t total = 0;  ///< bytes of the text

  void each(auto&& field) { field(total); }
};

struct AnswerPart {
  static constexpr FrameKind kind = FrameKind::answer;
  std::uint32_t round = 0;  ///< how many answers there were before, and this one
  std::uint64_t total = 0;

  void each(auto&& field) { field(round), field(total); }
};

/// A message about a whole run.
template <FrameKind its_kind>
struct RunMessage {
  static constexpr FrameKind kind = its_kind;
  std::uint32_t run = 0;

  void each(auto&& field) { field(run); }
};
using Stop = RunMessage<FrameKind::stop>;

/// The process has its workload, whose shared input is to lie there in its memory.
struct Ready {
  static constexpr FrameKind kind = FrameKind::ready;
  std::uint32_t run = 0;
  std::uint32_t process = 0;  ///< its number on its host
  std::uint64_t address = 0;

  void each(auto&& field) { field(run), field(process), field(address); }
};

struct Begin {
  static constexpr FrameKind kind = FrameKind::begin;
  std::uint32_t run = 0;
  std::uint32_t first_worker = 0;  ///< the numbers of the process's workers count from here
  double lease_s = 0;              ///< the lease of its chunks (tcp/lease.hpp); 0: they have none

  void each(auto&& field) { field(run), field(first_worker), field(lease_s); }
};

/// Which chunk of which worker of the process.
struct TaskName {
  std::uint32_t run = 0, worker = 0;
  ChunkId id = {};

  void each(auto&& field) { field(run), field(worker), field(id.slot), field(id.generation); }
};

struct OrderMessage {
  static constexpr FrameKind kind = FrameKind::order;
  TaskName task;
  Chunk chunk = {};

  void each(auto&& field) { task.each(field), field(chunk.first), field(chunk.size); }
};

/// A part of a chunk's input or result, which is the payload; parts come in order.
template <FrameKind its_kind>
struct TaskPart {
  static constexpr FrameKind kind = its_kind;
  TaskName task;
  std::uint64_t offset = 0;  ///< of the part, in bytes

  void each(auto&& field) { task.each(field), field(offset); }
};
using InputPart = TaskPart<FrameKind::input>;
using ResultPart = TaskPart<FrameKind::result>;

/// A chunk's input of no more bytes comes as quickly as its order; of a longer one the worker says that it is
/// here, and the chunk begun (a progress of no iterations).
inline constexpr std::size_t short_input_bytes = std::size_t{1} << 14;

struct RecallMessage {
  static constexpr FrameKind kind = FrameKind::recall;
  TaskName task;
  Recall recall = Recall::none;

  void each(auto&& field) { task.each(field), field(recall); }
};

/// A part of a piece of the shared input.
struct SharedPart {
  static constexpr FrameKind kind = FrameKind::shared;
  std::uint32_t run = 0;
  std::uint64_t piece = 0;
  std::uint64_t offset = 0;  ///< within the piece, in bytes

  void each(auto&& field) { field(run), field(piece), field(offset); }
};

/// A piece of the shared input by its hash, and where another process of the host has it: in that one's
/// memory. Process 0: none has.
struct SharedOffer {
  static constexpr FrameKind kind = FrameKind::offer;
  std::uint32_t run = 0;
  std::uint64_t piece = 0;
  std::uint64_t hash_low = 0, hash_high = 0;
  std::uint32_t process = 0;
  std::uint64_t address = 0;

  void each(auto&& field) {
    field(run), field(piece), field(hash_low), field(hash_high), field(process), field(address);
  }
};

/// Of a piece that was offered: it is here, or wanted.
struct SharedAnswer {
  static constexpr FrameKind kind = FrameKind::wanted;
  std::uint32_t run = 0;
  std::uint64_t piece = 0;
  std::uint8_t is_here = 0;

  void each(auto&& field) { field(run), field(piece), field(is_here); }
};

/// Says that the process runs, and, by what came back of the last, how its clock stands.
struct Alive {
  static constexpr FrameKind kind = FrameKind::alive;
  double sent_s = 0;        ///< on its own clock; 0: no answer is wanted
  double offset_s = 0;      ///< its clock minus the master's, as far as it knows
  double lease_from_s = 0;  ///< when it was sent, on the lease's clock; returned unchanged

  void each(auto&& field) { field(sent_s), field(offset_s), field(lease_from_s); }
};

struct Pulse {
  static constexpr FrameKind kind = FrameKind::pulse;
  double sent_s = 0;        ///< copied from the message that it answers
  double master_s = 0;      ///< on the master's clock
  double lease_from_s = 0;  ///< copied from the message that it answers

  void each(auto&& field) { field(sent_s), field(master_s), field(lease_from_s); }
};

struct ProgressMessage {
  static constexpr FrameKind kind = FrameKind::progress;
  TaskName task;
  Index done = 0;

  void each(auto&& field) { task.each(field), field(done); }
};

/// What became of a chunk. Its result came before, all of it, or nothing where nobody waits for it; of one
/// that failed the reason is the payload.
struct ReportMessage {
  static constexpr FrameKind kind = FrameKind::report;
  TaskName task;
  Report::Kind what = Report::Kind::done;
  std::uint8_t is_timed = 0;
  Stamps stamps = {};
  Index failed_at = Failure::unknown;

  void each(auto&& field) {
    task.each(field), field(what), field(is_timed), field(stamps.received_s), field(stamps.begun_s);
    field(stamps.ended_s), field(stamps.cpu_s), field(stamps.waited_s), field(stamps.held_s);
    field(failed_at);
  }
};

/// Who looks on asks who is there, and perhaps that one leaves. Answered by a Listing for each worker and a
/// Farewell, or by a Refusal.
struct Inquiry {
  static constexpr FrameKind kind = FrameKind::inquiry;
  std::string version = {};
  std::string leaver = {};  ///< a host's name, a rank or an address; empty: nobody is to leave
  double leaves_in_s = 0;   ///< what it computes then is given to others

  void each(auto&& field) { field(version), field(leaver), field(leaves_in_s); }
};

/// A worker, as the master sees it.
struct Listing {
  static constexpr FrameKind kind = FrameKind::listing;
  enum class State : std::uint8_t {
    coming,  ///< its process is not ready for the run that goes on, or there is none
    here,
    silent,     ///< nothing was heard of it for long
    leaving,    ///< it was asked to
    set_aside,  ///< it gets no more: everything fails on its host
  };
  static constexpr std::uint32_t no_worker = UINT32_MAX;
  std::uint32_t process = 0;  ///< the rank of its first worker; 0: the master's own
  std::string host = {}, address = {};
  std::uint32_t rank = 0;            ///< WorkerName::rank
  std::uint32_t worker = no_worker;  ///< its number in the run's record; no_worker: it takes no part in one
  State state = State::coming;
  Chunk computes = {};  ///< of no iterations: nothing
  double for_s = 0;     ///< so long
  Index done = 0;       ///< iterations that it has returned in this run
  double per_s = 0;     ///< of these, while it computed; 0: not known

  void each(auto&& field) {
    field(process), field(host), field(address), field(rank), field(worker), field(state);
    field(computes.first);
    field(computes.size), field(for_s), field(done), field(per_s);
  }
};
inline constexpr Choices<Listing::State, 5> listing_states{{{"coming", Listing::State::coming},
                                                            {"here", Listing::State::here},
                                                            {"silent", Listing::State::silent},
                                                            {"leaving", Listing::State::leaving},
                                                            {"set aside", Listing::State::set_aside}}};

/// The process is to end: somebody asked that it leaves.
struct Dismissal {
  static constexpr FrameKind kind = FrameKind::dismissal;

  void each(auto&&) {}
};

struct Farewell {
  static constexpr FrameKind kind = FrameKind::farewell;

  void each(auto&&) {}
};

/// Whether seconds from a message can be the time of a clock: no host runs for 300 years.
inline bool is_instant(double seconds) {
  return std::abs(seconds) < 1e10;  // false for NaN, too
}

template <class Message>
FieldWriter encode(Message message) {
  FieldWriter fields;
  message.each([&fields](const auto& field) { fields.put(field); });
  return fields;
}

/// Throws BadFrame where the frame has other fields.
template <class Message>
Message decode(const Frame& frame) {
  Message message;
  FieldReader fields(frame.fields);
  message.each([&fields]<class Field>(Field& field) { field = fields.take<Field>(); });
  fields.finish();
  return message;
}

}  // namespace loadshare::tcp
