#include "tests/runtime/transport/mpi/fake_mpi.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>

// What Open MPI's header declares and leaves to its library: MPI's constants are the addresses of these.
struct ompi_predefined_communicator_t {
  char unused;
};
struct ompi_predefined_request_t {
  char unused;
};
struct ompi_predefined_datatype_t {
  char unused;
};
struct ompi_predefined_errhandler_t {
  char unused;
};
struct ompi_predefined_win_t {
  char unused;
};
struct ompi_predefined_info_t {
  char unused;
};
ompi_predefined_communicator_t ompi_mpi_comm_world, ompi_mpi_comm_null;
ompi_predefined_request_t ompi_request_null;
ompi_predefined_datatype_t ompi_mpi_byte, ompi_mpi_char, ompi_mpi_double, ompi_mpi_int;
ompi_predefined_errhandler_t ompi_mpi_errors_return;
ompi_predefined_win_t ompi_mpi_win_null;
ompi_predefined_info_t ompi_mpi_info_null;

namespace loadshare::test {
namespace {

constexpr double longest_stillness_s = 60;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// A call that MPI forbids.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A call that cannot be answered, because another rank gave up.
struct Forsaken {};

void require(bool is_good, const std::string& complaint) {
  if (!is_good) throw Refusal(complaint);
}

std::size_t size_of(MPI_Datatype type) {
  if (type == MPI_BYTE || type == MPI_CHAR) return 1;
  if (type == MPI_INT) return sizeof(int);
  require(type == MPI_DOUBLE, "this type is none that the fake knows");
  return sizeof(double);
}

std::size_t size_of(int count, MPI_Datatype type) {
  require(count >= 0, "the count is negative");
  return index(count) * size_of(type);
}

struct Comm;
struct Message;

/// What a rank still has to hear of.
struct Request {
  enum class Kind { send, receive, broadcast };
  Kind kind;
  Comm* comm;
  int rank;  // in the communicator; of its owner
  int peer;  // whom it sends to, receives from, or hears as the root
  int tag;
  std::span<std::byte> into = {};
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
  std::span<const std::byte> bytes;  // the sender's own
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
  std::size_t bytes = 0;
  std::span<const std::byte> data = {};
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
  int machine_of(int rank) const { return fake_.ranks_per_machine > 0 ? rank / fake_.ranks_per_machine : 0; }

  enum class Mode { standard, synchronous };
  Request* send(Mode mode, std::span<const std::byte> bytes, int to, int tag, Comm& comm, int me);
  Request* receive(std::span<std::byte> into, int from, int tag, Comm& comm, int me);
  Request* broadcast(const char* kind, std::span<std::byte> bytes, int root, Comm& comm, int me);
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

double World::delay_s() {
  constexpr double straggling = 10;
  if (fake_.most_delay_s <= 0 || random_() % 2 == 0) return 0;
  const double most_s = fake_.most_delay_s * (random_() % 16 == 0 ? straggling : 1);
  return std::uniform_real_distribution<double>(0, most_s)(random_);
}

Comm& World::comm_of(MPI_Comm handle) {
  if (handle == MPI_COMM_WORLD) return *world_;
  const auto found = std::ranges::find(comms_, static_cast<void*>(handle),
                                       [](const auto& one) { return static_cast<void*>(one.get()); });
  require(found != comms_.end() && (*found)->freed < (*found)->size(), "there is no such communicator");
  return **found;
}

void World::free_comm(MPI_Comm handle, int me) {
  Comm& comm = comm_of(handle);
  const int rank = comm.rank_of(me);
  for (const auto& [request, owned] : requests_)
    require(request->comm != &comm || request->rank != rank || request->is_freed,
            "a request of the communicator is still open");
  ++comm.freed;
}

Request* World::add_request(Request&& request) {
  moved_s_ = now_s();
  auto owned = std::make_unique<Request>(std::move(request));
  Request* const handle = owned.get();
  requests_.emplace(handle, std::move(owned));
  return handle;
}

Request* World::send(Mode mode, std::span<const std::byte> bytes, int to, int tag, Comm& comm, int me) {
  const int from = comm.rank_of(me);
  require(to >= 0 && index(to) < comm.size(), "there is no rank " + std::to_string(to));
  require(tag >= 0, "the tag is negative");
  const bool waits = mode == Mode::synchronous || bytes.size() > fake_.eager_bytes;
  const auto message = std::make_shared<Message>(
      Message{&comm, from, to, tag, bytes, waits, now_s() + delay_s(), now_s() + delay_s()});
  Request* const request = add_request({Request::Kind::send, &comm, from, to, tag});
  request->message = message;
  message->sender = request;
  messages_.push_back(message);
  return request;
}

Request* World::receive(std::span<std::byte> into, int from, int tag, Comm& comm, int me) {
  require(tag >= 0, "this tag is none that the fake knows");
  Request* const request = add_request({Request::Kind::receive, &comm, comm.rank_of(me), from, tag, into});
  for (const auto& message : messages_) {
    if (!message->has_arrived || message->receiver != nullptr || message->has_moved) continue;
    if (!matches(*request, *message)) continue;
    meet(*message, *request);
    return request;
  }
  comm.posted.push_back(request);
  return request;
}

const Message* World::arrived(int from, int tag, Comm& comm, int me) const {
  const Request wanted{Request::Kind::receive, &comm, comm.rank_of(me), from, tag};
  for (const auto& message : messages_)
    if (message->has_arrived && message->receiver == nullptr && !message->has_moved &&
        matches(wanted, *message))
      return message.get();
  return nullptr;
}

void World::done(Request& request) {
  moved_s_ = now_s();
  request.done_s = moved_s_ + delay_s();
  if (request.is_freed) requests_.erase(&request);
}

void World::depart(Message& message) {
  message.copy.assign(message.bytes.begin(), message.bytes.end());
  message.has_left = true;
  done(*std::exchange(message.sender, nullptr));
}

void World::arrive(const std::shared_ptr<Message>& message) {
  message->has_arrived = true;
  moved_s_ = now_s();
  auto& posted = message->comm->posted;
  const auto found =
      std::ranges::find_if(posted, [&](const Request* one) { return matches(*one, *message); });
  if (found == posted.end()) return;
  Request& receiver = **found;
  posted.erase(found);
  meet(*message, receiver);
}

void World::meet(Message& message, Request& receiver) {
  const std::size_t size = message.bytes.size();
  if (size > receiver.into.size())
    complain("a message of " + std::to_string(size) + " bytes with tag " + std::to_string(message.tag) +
             " meets a receive of " + std::to_string(receiver.into.size()));
  receiver.status.MPI_SOURCE = message.from;
  receiver.status.MPI_TAG = message.tag;
  receiver.status._ucount = size;
  message.receiver = &receiver;
  message.moves_s = now_s() + delay_s();
  if (!message.waits_for_receive) move(message);
}

void World::move(Message& message) {
  const auto from = message.waits_for_receive ? message.bytes : std::span<const std::byte>(message.copy);
  Request& receiver = *std::exchange(message.receiver, nullptr);
  const std::size_t size = std::min(from.size(), receiver.into.size());
  if (size > 0) std::memcpy(receiver.into.data(), from.data(), size);
  message.has_moved = true;
  done(receiver);
  if (message.sender != nullptr) done(*std::exchange(message.sender, nullptr));
}

// As with MPI itself, what a rank has to do for a message is done when it calls, and not while it computes.
void World::progress(int me) {
  if (is_broken_) throw Forsaken();
  const double at_s = now_s();
  if (at_s - moved_s_ > longest_stillness_s) end_process("nothing moves any more");
  for (const auto& message : messages_)
    if (message->comm->members[index(message->from)] == me) move_on(*message, at_s);
  deliver(me, at_s);
  std::erase_if(messages_, [](const auto& message) { return message->has_moved; });
  std::erase_if(broadcasts_, [&](Request* request) {
    return request->comm->members[index(request->rank)] == me && take_broadcast(*request);
  });
}

void World::move_on(Message& message, double at_s) {
  if (!message.waits_for_receive && !message.has_left && at_s >= message.leaves_s) depart(message);
  if (message.receiver != nullptr && at_s >= message.moves_s) move(message);
}

// Messages arrive in the order they were sent only where one receive could take either of them.
void World::deliver(int me, double at_s) {
  std::set<std::tuple<const Comm*, int, int>> held_up;
  for (const auto& message : messages_) {
    if (message->has_arrived || message->comm->members[index(message->to)] != me) continue;
    const bool may_arrive = (message->has_left || message->waits_for_receive) && at_s >= message->arrives_s;
    if (may_arrive && !held_up.contains({message->comm, message->from, message->tag}))
      arrive(message);
    else
      held_up.insert({message->comm, message->from, message->tag});
  }
}

Request& World::request_of(MPI_Request handle, int me) {
  const auto found = requests_.find(reinterpret_cast<Request*>(handle));
  require(found != requests_.end() && !found->second->is_freed, "there is no such request");
  Request& request = *found->second;
  require(request.comm->members[index(request.rank)] == me, "the request is another rank's");
  return request;
}

bool World::take_if_done(MPI_Request* handle, MPI_Status* status, int me) {
  if (*handle == MPI_REQUEST_NULL) return true;
  Request& request = request_of(*handle, me);
  if (!request.done_s || now_s() < *request.done_s) return false;
  if (status != MPI_STATUS_IGNORE) *status = request.status;
  *handle = MPI_REQUEST_NULL;
  requests_.erase(&request);
  return true;
}

void World::wait(Request* request, MPI_Status* status, int me) {
  auto handle = reinterpret_cast<MPI_Request>(request);
  wait_until(me, [&] { return take_if_done(&handle, status, me); });
}

void World::cancel(Request& request) {
  require(request.kind == Request::Kind::receive, "only receives can be cancelled");
  if (std::erase(request.comm->posted, &request) == 0) return;  // it has its message
  request.status._cancelled = 1;
  done(request);
}

void World::free_request(MPI_Request* handle, int me) {
  Request& request = request_of(*handle, me);
  require(request.kind == Request::Kind::send, "only a send may be freed before it is done");
  *handle = MPI_REQUEST_NULL;
  request.is_freed = true;
  if (request.message) request.message->is_abandoned = true;
  if (request.done_s) requests_.erase(&request);
}

Collective& World::enter(Comm& comm, int rank, const Share& share, std::size_t& call) {
  moved_s_ = now_s();
  call = comm.calls[index(rank)]++;
  Collective& collective = comm.collectives[call];
  collective.shares.resize(comm.size());
  for (const std::optional<Share>& other : collective.shares)
    if (other &&
        std::tie(other->kind, other->root, other->bytes) != std::tie(share.kind, share.root, share.bytes)) {
      give_up();
      throw Refusal(share.kind + " of " + std::to_string(share.bytes) + " bytes where another rank calls " +
                    other->kind + " of " + std::to_string(other->bytes));
    }
  collective.shares[index(rank)] = share;
  return collective;
}

void World::leave_collective(Comm& comm, std::size_t call) {
  if (++comm.collectives.at(call).left == comm.size()) comm.collectives.erase(call);
}

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

Request* World::broadcast(const char* kind, std::span<std::byte> bytes, int root, Comm& comm, int me) {
  const int rank = comm.rank_of(me);
  require(root >= 0 && index(root) < comm.size(), "there is no rank " + std::to_string(root));
  std::size_t call = 0;
  Collective& collective = enter(comm, rank, {kind, root, bytes.size(), bytes}, call);
  if (rank == root && bytes.size() <= fake_.eager_bytes) collective.copy.assign(bytes.begin(), bytes.end());
  Request* const request = add_request({Request::Kind::broadcast, &comm, rank, root, 0, bytes});
  request->call = call;
  broadcasts_.push_back(request);
  return request;
}

// Returns whether the rank has, and need not look again.
bool World::take_broadcast(Request& request) {
  Comm& comm = *request.comm;
  Collective& collective = comm.collectives.at(request.call);
  const std::optional<Share>& root = collective.shares[index(request.peer)];
  if (!root) return false;
  const bool is_short = root->bytes <= fake_.eager_bytes;
  if (request.rank == request.peer) {
    if (!is_short && collective.taken + 1 < comm.size()) return false;
  } else {
    const auto from = is_short ? std::span<const std::byte>(collective.copy) : root->data;
    if (!from.empty()) std::memcpy(request.into.data(), from.data(), from.size());
    ++collective.taken;
  }
  leave_collective(comm, request.call);
  done(request);
  return true;
}

Window& World::add_window(Comm& comm, const Collective& sizes) {
  auto window = std::make_unique<Window>();
  window->comm = std::make_unique<Comm>(comm.members);
  std::size_t size = 0;
  for (const std::optional<Share>& share : sizes.shares) {
    window->first.push_back(size);
    size += share->data.size();
  }
  window->memory.assign(16 + size, std::byte{0xA5});
  return *windows_.emplace_back(std::move(window));
}

Window& World::window_of(MPI_Win handle) {
  const auto found = std::ranges::find(windows_, static_cast<void*>(handle),
                                       [](const auto& one) { return static_cast<void*>(one.get()); });
  require(found != windows_.end() && !(*found)->memory.empty(), "there is no such window");
  return **found;
}

std::string text_of(const Request& request) {
  constexpr const char* kinds[] = {"send to", "receive from", "broadcast by"};
  return std::string(kinds[static_cast<int>(request.kind)]) + " rank " + std::to_string(request.peer) +
         " with tag " + std::to_string(request.tag) + " of rank " + std::to_string(request.rank) +
         (request.done_s ? ", done" : "");
}

std::vector<std::string> World::leftovers() const {
  std::vector<std::string> texts;
  for (const auto& [request, owned] : requests_)
    if (!request->is_freed) texts.push_back("left behind: a " + text_of(*request));
  for (const auto& message : messages_)
    if (!message->is_abandoned)
      texts.push_back("never received: a message of " + std::to_string(message->bytes.size()) +
                      " bytes from rank " + std::to_string(message->from) + " to " +
                      std::to_string(message->to) + " with tag " + std::to_string(message->tag));
  for (const auto& comm : comms_)
    if (comm->freed < comm->size() && !fake_.may_leak)
      texts.push_back("left behind: a communicator of " + std::to_string(comm->size()));
  for (const auto& window : windows_)
    if (!window->memory.empty()) texts.push_back("left behind: a window");
  return texts;
}

std::vector<std::string> World::end() {
  std::vector<std::string> all = complaints_;
  if (!is_broken_) std::ranges::move(leftovers(), std::back_inserter(all));
  return all;
}

void World::end_process(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  for (const std::string& text : complaints_) std::fprintf(stderr, "  %s\n", text.c_str());
  for (const std::string& text : leftovers()) std::fprintf(stderr, "  %s\n", text.c_str());
  _exit(1);
}

/// A rank, as its thread knows it.
struct Rank {
  World& world;
  int number;
  bool is_started = false;
  bool is_over = false;
};

thread_local Rank* here = nullptr;
std::atomic<World*> current_world = nullptr;

/// The frame of every call: whose it is, whether it may be made, and what becomes of a complaint.
template <class Body>
int call(const char* name, Body&& body) {
  World* const world = current_world;
  if (world == nullptr) return MPI_ERR_OTHER;
  const std::lock_guard lock(world->mutex);
  try {
    require(here != nullptr, "called by a thread that is no rank's own");
    require(here->is_started && !here->is_over, "called before MPI_Init_thread or after MPI_Finalize");
    world->progress(here->number);
    body(*world, here->number);
    return MPI_SUCCESS;
  } catch (const Refusal& refusal) {
    const std::string who = here == nullptr ? "" : " on rank " + std::to_string(here->number);
    world->complain(std::string(name) + who + ": " + refusal.what());
    return MPI_ERR_OTHER;
  } catch (const Forsaken&) {
    return MPI_ERR_OTHER;
  }
}

void live(World& world, int number, const std::function<void()>& body) {
  Rank rank{world, number};
  here = &rank;
  try {
    body();
    const std::lock_guard lock(world.mutex);
    if (!rank.is_over) world.leave(number);
  } catch (const Forsaken&) {
  } catch (const std::exception& error) {
    const std::lock_guard lock(world.mutex);
    world.complain("rank " + std::to_string(number) + " ended by: " + error.what());
    world.give_up();
  }
  here = nullptr;
}

template <class T>
std::span<std::byte> bytes_at(T* data, int count, MPI_Datatype type) {
  return {static_cast<std::byte*>(const_cast<void*>(static_cast<const void*>(data))), size_of(count, type)};
}

MPI_Comm handle_of(void* comm) {
  return static_cast<MPI_Comm>(comm);
}

/// Those of one color together, in order of their keys.
void split(World& world, const Comm& comm, Collective& collective) {
  collective.results.resize(comm.size());
  std::map<int, std::vector<std::pair<int, std::size_t>>> parts;
  for (std::size_t rank = 0; rank < comm.size(); ++rank)
    parts[collective.shares[rank]->color].push_back({collective.shares[rank]->key, rank});
  for (auto& [color, part] : parts) {
    std::ranges::sort(part);
    std::vector<int> members;
    for (const auto& [key, rank] : part) members.push_back(comm.members[rank]);
    Comm& made = world.add_comm(members);
    for (const auto& [key, rank] : part) collective.results[rank] = &made;
  }
}

void split(World& world, Comm& comm, const Share& share, int me, MPI_Comm* made) {
  const Collective seen =
      world.together(comm, me, share, [&](Collective& collective) { split(world, comm, collective); });
  *made = handle_of(seen.results[index(comm.rank_of(me))]);
}

}  // namespace

std::vector<std::string> run_fake_mpi(const FakeMpi& fake, const std::function<void()>& body) {
  World world(fake);
  current_world = &world;
  {
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < fake.ranks; ++rank) ranks.emplace_back([&, rank] { live(world, rank, body); });
  }
  current_world = nullptr;
  return world.end();
}

}  // namespace loadshare::test

using namespace loadshare::test;

int MPI_Init_thread(int*, char***, int required, int* provided) {
  *provided = required;
  if (here == nullptr || here->is_started) return MPI_ERR_OTHER;
  here->is_started = true;
  return MPI_SUCCESS;
}

int MPI_Initialized(int* flag) {
  *flag = here != nullptr && here->is_started;
  return MPI_SUCCESS;
}

int MPI_Finalized(int* flag) {
  *flag = here != nullptr && here->is_over;
  return MPI_SUCCESS;
}

int MPI_Finalize() {
  return call("MPI_Finalize", [](World& world, int me) {
    world.leave(me);
    here->is_over = true;
  });
}

int MPI_Abort(MPI_Comm, int code) {
  World& world = *current_world;
  const std::lock_guard lock(world.mutex);
  world.end_process("MPI_Abort with code " + std::to_string(code));
}

int MPI_Get_library_version(char* text, int* length) {
  *length = std::snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "%s, by threads", fake_mpi_version);
  return MPI_SUCCESS;
}

int MPI_Error_string(int code, char* text, int* length) {
  *length = std::snprintf(text, MPI_MAX_ERROR_STRING, "error %d of the fake", code);
  return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  return call("MPI_Comm_rank", [&](World& world, int me) { *rank = world.comm_of(comm).rank_of(me); });
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  return call("MPI_Comm_size",
              [&](World& world, int) { *size = static_cast<int>(world.comm_of(comm).size()); });
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return call("MPI_Comm_set_errhandler", [&](World& world, int) {
    world.comm_of(comm);
    require(handler == MPI_ERRORS_RETURN, "this error handler is none that the fake knows");
  });
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return call("MPI_Comm_dup", [&](World& world, int me) {
    Comm& all = world.comm_of(comm);
    split(world, all, {.kind = "MPI_Comm_dup", .key = all.rank_of(me)}, me, made);
  });
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return call("MPI_Comm_split", [&](World& world, int me) {
    split(world, world.comm_of(comm), {.kind = "MPI_Comm_split", .color = color, .key = key}, me, made);
  });
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* made) {
  return call("MPI_Comm_split_type", [&](World& world, int me) {
    require(type == MPI_COMM_TYPE_SHARED, "this type is none that the fake knows");
    const Share share{.kind = "MPI_Comm_split_type", .color = world.machine_of(me), .key = key};
    split(world, world.comm_of(comm), share, me, made);
  });
}

int MPI_Comm_free(MPI_Comm* comm) {
  return call("MPI_Comm_free", [&](World& world, int me) {
    world.free_comm(*comm, me);
    *comm = MPI_COMM_NULL;
  });
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return call("MPI_Isend", [&](World& world, int me) {
    *request = reinterpret_cast<MPI_Request>(
        world.send(World::Mode::standard, bytes_at(data, count, type), to, tag, world.comm_of(comm), me));
  });
}

int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return call("MPI_Issend", [&](World& world, int me) {
    *request = reinterpret_cast<MPI_Request>(
        world.send(World::Mode::synchronous, bytes_at(data, count, type), to, tag, world.comm_of(comm), me));
  });
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return call("MPI_Irecv", [&](World& world, int me) {
    *request = reinterpret_cast<MPI_Request>(
        world.receive(bytes_at(data, count, type), from, tag, world.comm_of(comm), me));
  });
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  return call("MPI_Recv", [&](World& world, int me) {
    world.wait(world.receive(bytes_at(data, count, type), from, tag, world.comm_of(comm), me), status, me);
  });
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return call("MPI_Iprobe", [&](World& world, int me) {
    const Message* const message = world.arrived(from, tag, world.comm_of(comm), me);
    *flag = message != nullptr;
    if (message == nullptr || status == MPI_STATUS_IGNORE) return;
    status->MPI_SOURCE = message->from;
    status->MPI_TAG = message->tag;
    status->_ucount = message->bytes.size();
  });
}

int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  return call("MPI_Get_count",
              [&](World&, int) { *count = static_cast<int>(status->_ucount / size_of(type)); });
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return call("MPI_Test", [&](World& world, int me) { *flag = world.take_if_done(request, status, me); });
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  return call("MPI_Testall", [&](World& world, int me) {
    require(statuses == MPI_STATUSES_IGNORE, "the fake tells no statuses here");
    const std::span all(requests, index(count));
    *flag = std::ranges::all_of(all, [&](MPI_Request one) {
      return one == MPI_REQUEST_NULL || world.request_of(one, me).done_s.value_or(INFINITY) <= now_s();
    });
    if (*flag == 0) return;
    for (MPI_Request& one : all) world.take_if_done(&one, MPI_STATUS_IGNORE, me);
  });
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int places[], MPI_Status statuses[]) {
  return call("MPI_Testsome", [&](World& world, int me) {
    *done = 0;
    bool has_any = false;
    for (int i = 0; i < count; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      has_any = true;
      if (world.take_if_done(&requests[i], &statuses[*done], me)) places[(*done)++] = i;
    }
    if (!has_any) *done = MPI_UNDEFINED;
  });
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return call("MPI_Wait", [&](World& world, int me) {
    world.wait_until(me, [&] { return world.take_if_done(request, status, me); });
  });
}

int MPI_Cancel(MPI_Request* request) {
  return call("MPI_Cancel", [&](World& world, int me) { world.cancel(world.request_of(*request, me)); });
}

int MPI_Request_free(MPI_Request* request) {
  return call("MPI_Request_free", [&](World& world, int me) { world.free_request(request, me); });
}

int MPI_Barrier(MPI_Comm comm) {
  return call("MPI_Barrier", [&](World& world, int me) {
    world.together(world.comm_of(comm), me, {.kind = "MPI_Barrier"}, [](Collective&) {});
  });
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return call("MPI_Bcast", [&](World& world, int me) {
    world.wait(world.broadcast("MPI_Bcast", bytes_at(data, count, type), root, world.comm_of(comm), me),
               MPI_STATUS_IGNORE, me);
  });
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  return call("MPI_Ibcast", [&](World& world, int me) {
    *request = reinterpret_cast<MPI_Request>(
        world.broadcast("MPI_Ibcast", bytes_at(data, count, type), root, world.comm_of(comm), me));
  });
}

int MPI_Allgather(const void* data, int count, MPI_Datatype type, void* all, int, MPI_Datatype,
                  MPI_Comm comm) {
  return call("MPI_Allgather", [&](World& world, int me) {
    const auto own = bytes_at(data, count, type);
    const Share share{.kind = "MPI_Allgather", .bytes = own.size(), .data = own};
    const Collective seen = world.together(world.comm_of(comm), me, share, [](Collective& collective) {
      for (const std::optional<Share>& part : collective.shares)
        collective.copy.insert(collective.copy.end(), part->data.begin(), part->data.end());
    });
    std::memcpy(all, seen.copy.data(), seen.copy.size());
  });
}

int MPI_Win_allocate_shared(MPI_Aint size, int, MPI_Info, MPI_Comm comm, void* base, MPI_Win* window) {
  return call("MPI_Win_allocate_shared", [&](World& world, int me) {
    Comm& all = world.comm_of(comm);
    const Share share{.kind = "MPI_Win_allocate_shared",
                      .data = {static_cast<const std::byte*>(nullptr), static_cast<std::size_t>(size)}};
    const Collective seen = world.together(all, me, share, [&](Collective& collective) {
      collective.results.assign(all.size(), &world.add_window(all, collective));
    });
    *window = static_cast<MPI_Win>(seen.results[0]);
    *static_cast<void**>(base) = world.window_of(*window).part(index(all.rank_of(me)));
  });
}

int MPI_Win_shared_query(MPI_Win handle, int rank, MPI_Aint* size, int* unit, void* base) {
  return call("MPI_Win_shared_query", [&](World& world, int) {
    Window& window = world.window_of(handle);
    const std::size_t end =
        index(rank) + 1 < window.first.size() ? window.first[index(rank) + 1] : window.memory.size() - 16;
    *size = static_cast<MPI_Aint>(end - window.first[index(rank)]);
    *unit = 1;
    *static_cast<void**>(base) = window.part(index(rank));
  });
}

int MPI_Win_free(MPI_Win* handle) {
  return call("MPI_Win_free", [&](World& world, int me) {
    Window& window = world.window_of(*handle);
    world.together(*window.comm, me, {.kind = "MPI_Win_free"},
                   [&](Collective&) { std::vector<std::byte>().swap(window.memory); });
    *handle = MPI_WIN_NULL;
  });
}
