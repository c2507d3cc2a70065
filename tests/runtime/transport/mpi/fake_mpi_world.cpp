#include "tests/runtime/transport/mpi/fake_mpi_world.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <set>
#include <tuple>

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

std::string text_of(const Request& request) {
  constexpr const char* kinds[] = {"send to", "receive from", "broadcast by"};
  return std::string(kinds[static_cast<int>(request.kind)]) + " rank " + std::to_string(request.peer) +
         " with tag " + std::to_string(request.tag) + " of rank " + std::to_string(request.rank) +
         (request.done_s ? ", done" : "");
}

std::string name_of(MPI_Datatype type) {
  if (type == MPI_BYTE) return "MPI_BYTE";
  if (type == MPI_CHAR) return "MPI_CHAR";
  return type == MPI_INT ? "MPI_INT" : "MPI_DOUBLE";
}

std::string text_of(const Share& share) {
  return share.kind + " of " + std::to_string(share.bytes) + " bytes, each in " + name_of(share.data.type);
}

/// Whether both are shares of one call.
bool fits(const Share& one, const Share& other) {
  return one.kind == other.kind && one.root == other.root && one.bytes == other.bytes &&
         (one.bytes == 0 || one.data.type == other.data.type);
}

}  // namespace

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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

Request* World::send(Mode mode, Data data, int to, int tag, Comm& comm, int me) {
  const int from = comm.rank_of(me);
  require(to >= 0 && index(to) < comm.size(), "there is no rank " + std::to_string(to));
  require(tag >= 0, "the tag is negative");
  const bool waits = mode == Mode::synchronous || data.bytes.size() > fake_.eager_bytes;
  const auto message = std::make_shared<Message>(
      Message{&comm, from, to, tag, data, waits, now_s() + delay_s(), now_s() + delay_s()});
  Request* const request = add_request({Request::Kind::send, &comm, from, to, tag});
  request->message = message;
  message->sender = request;
  messages_.push_back(message);
  return request;
}

Request* World::receive(Data into, int from, int tag, Comm& comm, int me) {
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
  message.copy.assign(message.data.bytes.begin(), message.data.bytes.end());
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
  const std::size_t size = message.data.bytes.size();
  if (size > receiver.into.bytes.size())
    complain("a message of " + std::to_string(size) + " bytes with tag " + std::to_string(message.tag) +
             " meets a receive of " + std::to_string(receiver.into.bytes.size()));
  if (size > 0 && message.data.type != receiver.into.type)
    complain("a message of " + name_of(message.data.type) + " with tag " + std::to_string(message.tag) +
             " meets a receive of " + name_of(receiver.into.type));
  receiver.status.MPI_SOURCE = message.from;
  receiver.status.MPI_TAG = message.tag;
  receiver.status._ucount = size;
  message.receiver = &receiver;
  message.moves_s = now_s() + delay_s();
  if (!message.waits_for_receive) move(message);
}

void World::move(Message& message) {
  const auto from = message.waits_for_receive ? message.data.bytes : std::span<const std::byte>(message.copy);
  Request& receiver = *std::exchange(message.receiver, nullptr);
  const std::size_t size = std::min(from.size(), receiver.into.bytes.size());
  if (size > 0) std::memcpy(receiver.into.bytes.data(), from.data(), size);
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
    if (other && !fits(*other, share)) {
      give_up();
      throw Refusal(text_of(share) + " where another rank calls " + text_of(*other));
    }
  collective.shares[index(rank)] = share;
  return collective;
}

void World::leave_collective(Comm& comm, std::size_t call) {
  if (++comm.collectives.at(call).left == comm.size()) comm.collectives.erase(call);
}

Request* World::broadcast(const char* kind, Data data, int root, Comm& comm, int me) {
  const int rank = comm.rank_of(me);
  require(root >= 0 && index(root) < comm.size(), "there is no rank " + std::to_string(root));
  std::size_t call = 0;
  Collective& collective = enter(comm, rank, {kind, root, data, data.bytes.size()}, call);
  if (rank == root && data.bytes.size() <= fake_.eager_bytes)
    collective.copy.assign(data.bytes.begin(), data.bytes.end());
  Request* const request = add_request({Request::Kind::broadcast, &comm, rank, root, 0, data});
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
    const auto from = is_short ? std::span<const std::byte>(collective.copy) : root->data.bytes;
    if (!from.empty()) std::memcpy(request.into.bytes.data(), from.data(), from.size());
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
    size += share->data.bytes.size();
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

std::vector<std::string> World::leftovers() const {
  std::vector<std::string> texts;
  for (const auto& [request, owned] : requests_)
    if (!request->is_freed) texts.push_back("left behind: a " + text_of(*request));
  for (const auto& message : messages_)
    if (!message->is_abandoned)
      texts.push_back("never received: a message of " + std::to_string(message->data.bytes.size()) +
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
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  if (test != nullptr) std::fprintf(stderr, "%s.%s: ", test->test_suite_name(), test->name());
  std::fprintf(stderr, "%s\n", why.c_str());
  for (const std::string& text : complaints_) std::fprintf(stderr, "  %s\n", text.c_str());
  for (const std::string& text : leftovers()) std::fprintf(stderr, "  %s\n", text.c_str());
  _exit(1);
}

}  // namespace loadshare::test
