#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>

#include "tests/runtime/transport/mpi/fake_mpi.hpp"

/// What the fake's calls are made of: its messages, collective calls, communicators and windows.
namespace loadshare::test {

double now_s();

inline std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// A call that MPI forbids.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A call that cannot be answered, because another rank gave up.
struct Forsaken {};

inline void require(bool is_good, const std::string& complaint) {
  if (!is_good) throw Refusal(complaint);
}

struct Comm;
struct Message;

/// Memory that a call was given.
struct Data {
  std::span<std::byte> bytes = {};
  MPI_Datatype type = MPI_BYTE;
};

/// What a rank still has to hear of.
struct Request {
  enum class Kind { send, receive, broadcast };
  Kind kind;
  Comm* comm;
  int rank;  // in the communicator; of its owner
  int peer;  // whom it sends to, receives from, or hears as the root
  int tag;
  Data into = {};
  std::shared_ptr<Message> message = {};  // that it sends
  std::size_t call = 0;                   // of a broadcast
  std::optional<double> done_s = {};      // when its owner may see that it is done
  bool is_freed = false;
  MPI_Status status = {};
};

/// A message from the call that sends it until its bytes are at their place.
struct Message {
  Comm* comm;
  int from, to, tag;
  Data data;  // the sender's own
  bool waits_for_receive;
  double leaves_s, arrives_s;        // at the earliest
  std::vector<std::byte> copy = {};  // of one that does not wait
  bool has_left = false;
  bool has_arrived = false;
  bool is_abandoned = false;  // its sender does not want to hear of it
  Request* sender = nullptr;  // until that one is done
  Request* receiver = nullptr;
  double moves_s = 0;  // once it has its receive
  bool has_moved = false;
};

/// What one rank brings to a collective call.
struct Share {
  std::string kind;
  int root = 0;
  Data data = {};
  std::size_t bytes = 0;  // of a call to which all must bring as much, and of one type
  int color = 0, key = 0;
};

struct Collective {
  std::vector<std::optional<Share>> shares;  // by rank
  std::vector<std::byte> copy;               // of a short broadcast; of all parts of a gathering
  std::vector<void*> results;                // by rank, once all shares are there
  std::size_t taken = 0;                     // by how many of those who receive a broadcast
  std::size_t left = 0;
  bool is_full() const {
    return std::ranges::all_of(shares, [](const auto& one) { return !!one; });
  }
};

struct Comm {
  explicit Comm(std::vector<int> ranks) : members(std::move(ranks)), calls(members.size()) {}
  std::vector<int> members;        // ranks of the world
  std::vector<std::size_t> calls;  // collective ones, by rank
  std::map<std::size_t, Collective> collectives;
  std::vector<Request*> posted;  // receives without a message, oldest first
  std::size_t freed = 0;

  std::size_t size() const { return members.size(); }
  int rank_of(int member) const {
    const auto place = std::ranges::find(members, member);
    require(place != members.end(), "the caller is no member of the communicator");
    return static_cast<int>(place - members.begin());
  }
};

/// Memory of all ranks of a communicator, part after part.
struct Window {
  std::unique_ptr<Comm> comm;  // its own
  std::vector<std::size_t> first;
  std::vector<std::byte> memory;
  // Where MPI puts it nobody knows; on a cache line it does not.
  std::byte* part(std::size_t rank) { return memory.data() + 16 + first[rank]; }
};

class World {
 public:
  explicit World(const FakeMpi& fake) : fake_(fake), random_(fake.seed), moved_s_(now_s()) {
    std::vector<int> all;
    for (int rank = 0; rank < fake.ranks; ++rank) all.push_back(rank);
    world_ = std::make_unique<Comm>(all);
  }

  std::mutex mutex;

  void complain(const std::string& text) { complaints_.push_back(text); }
  void give_up() { is_broken_ = true; }
  /// Says on stderr what is known, and ends the process: ranks that wait for what will never come cannot be
  /// called back, least of all from their destructors.
  [[noreturn]] void end_process(const std::string& why);
  std::vector<std::string> end();

  /// Lets this rank's messages move until the condition holds.
  template <class Ready>
  void wait_until(int me, Ready&& is_ready) {
    for (progress(me); !is_ready(); progress(me)) {
      mutex.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      mutex.lock();
    }
  }
  void progress(int me);
  /// Returns when all ranks have come to their end.
  void leave(int me) {
    ++gone_;
    wait_until(me, [this] { return gone_ == fake_.ranks; });
  }

  Comm& comm_of(MPI_Comm handle);
  Comm& add_comm(std::vector<int> members) {
    return *comms_.emplace_back(std::make_unique<Comm>(std::move(members)));
  }
  void free_comm(MPI_Comm handle, int me);
  ThreadLevel most_threads() const { return fake_.most_threads; }
  int machine_of(int rank) const { return fake_.ranks_per_machine > 0 ? rank / fake_.ranks_per_machine : 0; }

  enum class Mode { standard, synchronous };
  Request* send(Mode mode, Data data, int to, int tag, Comm& comm, int me);
  Request* receive(Data into, int from, int tag, Comm& comm, int me);
  Request* broadcast(const char* kind, Data data, int root, Comm& comm, int me);
  const Message* arrived(int from, int tag, Comm& comm, int me) const;
  Request& request_of(MPI_Request handle, int me);
  /// Whether it is done, and then is no more.
  bool take_if_done(MPI_Request* handle, MPI_Status* status, int me);
  void wait(Request* request, MPI_Status* status, int me);
  void cancel(Request& request);
  void free_request(MPI_Request* handle, int me);

  /// A collective call, which returns when all have come. `make_results` is run once, then.
  template <class MakeResults>
  Collective together(Comm& comm, int me, const Share& share, MakeResults&& make_results);

  Window& add_window(Comm& comm, const Collective& sizes);
  Window& window_of(MPI_Win handle);

 private:
  static bool matches(const Request& receive, const Message& message) {
    return receive.comm == message.comm && receive.rank == message.to && receive.tag == message.tag &&
           (receive.peer == MPI_ANY_SOURCE || receive.peer == message.from);
  }
  double delay_s();
  Request* add_request(Request&& request);
  Collective& enter(Comm& comm, int rank, const Share& share, std::size_t& call);
  void done(Request& request);
  void depart(Message& message);
  void arrive(const std::shared_ptr<Message>& message);
  void meet(Message& message, Request& receiver);
  void move(Message& message);
  void move_on(Message& message, double at_s);
  void deliver(int me, double at_s);
  bool take_broadcast(Request& request);
  void leave_collective(Comm& comm, std::size_t call);
  std::vector<std::string> leftovers() const;

  FakeMpi fake_;
  std::mt19937_64 random_;
  double moved_s_;
  bool is_broken_ = false;
  int gone_ = 0;
  std::vector<std::string> complaints_;
  std::unique_ptr<Comm> world_;
  std::vector<std::unique_ptr<Comm>> comms_;
  std::vector<std::unique_ptr<Window>> windows_;
  std::list<std::shared_ptr<Message>> messages_;  // in the order they were sent
  std::unordered_map<Request*, std::unique_ptr<Request>> requests_;
  std::vector<Request*> broadcasts_;  // not done
};

template <class MakeResults>
Collective World::together(Comm& comm, int me, const Share& share, MakeResults&& make_results) {
  std::size_t call = 0;
  Collective& collective = enter(comm, comm.rank_of(me), share, call);
  if (collective.is_full()) make_results(collective);
  wait_until(me, [&collective] { return collective.is_full(); });
  const Collective seen = collective;
  leave_collective(comm, call);
  return seen;
}

}  // namespace loadshare::test
