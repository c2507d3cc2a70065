#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>

#include "tests/runtime/transport/mpi/fake_mpi_world.hpp"

namespace loadshare::test {
namespace {

/// A rank, as its threads know it.
struct Rank {
  World& world;
  int number;
  ThreadLevel level = ThreadLevel::single;
  bool is_started = false;
  bool is_over = false;
  std::atomic<int> callers = 0;
};

/// The calling thread's rank: its own thread's, and of those that this one starts.
thread_local Rank* here = nullptr;
thread_local bool is_ranks_own = false;
std::atomic<World*> current_world = nullptr;

/// A thread of this rank is in a call.
class Caller {
 public:
  explicit Caller(Rank* rank) : rank_(rank), others_(rank == nullptr ? 0 : rank->callers++) {}
  ~Caller() {
    if (rank_ != nullptr) --rank_->callers;
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void require_allowed() const {
    require(rank_ != nullptr, "called by a thread that is no rank's");
    require(rank_->is_started && !rank_->is_over, "called before MPI_Init_thread or after MPI_Finalize");
    require(is_ranks_own || rank_->level >= ThreadLevel::serialized,
            "called by a thread that is not the one that started MPI");
    require(others_ == 0, "called while another thread of the rank was in a call");
  }

 private:
  Rank* rank_;
  int others_;
};

/// The frame of every call: whose it is, whether it may be made, and what becomes of a complaint.
template <class Body>
int call(const char* name, Body&& body) {
  World* const world = current_world;
  if (world == nullptr) return MPI_ERR_OTHER;
  const Caller caller(here);
  const std::lock_guard lock(world->mutex);
  try {
    caller.require_allowed();
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
  is_ranks_own = true;
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

/// What a thread of a rank begins with.
struct Beginning {
  Rank* rank;
  void* (*run)(void*);
  void* argument;
};

void* begin(void* beginning) {
  const std::unique_ptr<Beginning> mine(static_cast<Beginning*>(beginning));
  here = mine->rank;
  return mine->run(mine->argument);
}

int mpi_level(ThreadLevel level) {
  constexpr std::array levels{MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED};
  return levels.at(static_cast<std::size_t>(level));
}

ThreadLevel level_of(int mpi) {
  if (mpi >= MPI_THREAD_SERIALIZED) return ThreadLevel::serialized;
  return mpi >= MPI_THREAD_FUNNELED ? ThreadLevel::funneled : ThreadLevel::single;
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

Data data_at(const void* begin, int count, MPI_Datatype type) {
  return {{static_cast<std::byte*>(const_cast<void*>(begin)), size_of(count, type)}, type};
}

/// Those of one color together, in order of their keys; who gives none is in no communicator.
void split(World& world, const Comm& comm, Collective& collective) {
  collective.results.resize(comm.size());
  std::map<int, std::vector<std::pair<int, std::size_t>>> parts;
  for (std::size_t rank = 0; rank < comm.size(); ++rank) {
    const Share& share = *collective.shares[rank];
    if (share.color != MPI_UNDEFINED) parts[share.color].push_back({share.key, rank});
  }
  for (auto& [color, part] : parts) {
    std::ranges::sort(part);
    std::vector<int> members;
    for (const auto& [key, rank] : part) members.push_back(comm.members[rank]);
    Comm& made = world.add_comm(members);
    for (const auto& [key, rank] : part) collective.results[rank] = &made;
  }
}

void split(World& world, Comm& comm, const Share& share, int me, MPI_Comm* made) {
  require(share.color >= 0 || share.color == MPI_UNDEFINED, "the color is negative");
  const Collective seen =
      world.together(comm, me, share, [&](Collective& collective) { split(world, comm, collective); });
  void* const own = seen.results[index(comm.rank_of(me))];
  *made = own == nullptr ? MPI_COMM_NULL : static_cast<MPI_Comm>(own);
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

/// In front of the C library's: who is started by a rank's thread belongs to that rank.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                              void* argument) noexcept {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (here == nullptr) return create(thread, attributes, run, argument);
  auto beginning = std::make_unique<Beginning>(here, run, argument);
  const int result = create(thread, attributes, begin, beginning.get());
  if (result == 0) beginning.release();
  return result;
}

int MPI_Init_thread(int*, char***, int required, int* provided) {
  if (here == nullptr || here->is_started) return MPI_ERR_OTHER;
  here->level = std::min(level_of(required), here->world.most_threads());
  *provided = mpi_level(here->level);
  here->is_started = true;
  return MPI_SUCCESS;
}

int MPI_Query_thread(int* provided) {
  return call("MPI_Query_thread", [&](World&, int) { *provided = mpi_level(here->level); });
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
        world.send(World::Mode::standard, data_at(data, count, type), to, tag, world.comm_of(comm), me));
  });
}

int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return call("MPI_Issend", [&](World& world, int me) {
    *request = reinterpret_cast<MPI_Request>(
        world.send(World::Mode::synchronous, data_at(data, count, type), to, tag, world.comm_of(comm), me));
  });
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return call("MPI_Irecv", [&](World& world, int me) {
    *request = reinterpret_cast<MPI_Request>(
        world.receive(data_at(data, count, type), from, tag, world.comm_of(comm), me));
  });
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  return call("MPI_Recv", [&](World& world, int me) {
    world.wait(world.receive(data_at(data, count, type), from, tag, world.comm_of(comm), me), status, me);
  });
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return call("MPI_Iprobe", [&](World& world, int me) {
    const Message* const message = world.arrived(from, tag, world.comm_of(comm), me);
    *flag = message != nullptr;
    if (message == nullptr || status == MPI_STATUS_IGNORE) return;
    status->MPI_SOURCE = message->from;
    status->MPI_TAG = message->tag;
    status->_ucount = message->data.bytes.size();
  });
}

int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  return call("MPI_Get_count", [&](World&, int) {
    require(status->_ucount % size_of(type) == 0, "the message is not whole numbers of this type");
    *count = static_cast<int>(status->_ucount / size_of(type));
  });
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

int MPI_Pcontrol(const int /*level*/, ...) {
  return call("MPI_Pcontrol", [](World&, int) {});
}

int MPI_Barrier(MPI_Comm comm) {
  return call("MPI_Barrier", [&](World& world, int me) {
    world.together(world.comm_of(comm), me, {.kind = "MPI_Barrier"}, [](Collective&) {});
  });
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return call("MPI_Bcast", [&](World& world, int me) {
    world.wait(world.broadcast("MPI_Bcast", data_at(data, count, type), root, world.comm_of(comm), me),
               MPI_STATUS_IGNORE, me);
  });
}

int MPI_Allgather(const void* data, int count, MPI_Datatype type, void* all, int count_of_each,
                  MPI_Datatype type_of_each, MPI_Comm comm) {
  return call("MPI_Allgather", [&](World& world, int me) {
    const Data own = data_at(data, count, type);
    const std::size_t bytes = own.bytes.size();
    require(bytes == size_of(count_of_each, type_of_each) && (bytes == 0 || type == type_of_each),
            "what is sent is not what is received of each");
    const Share share{.kind = "MPI_Allgather", .data = own, .bytes = bytes};
    const Collective seen = world.together(world.comm_of(comm), me, share, [](Collective& collective) {
      for (const std::optional<Share>& part : collective.shares)
        collective.copy.insert(collective.copy.end(), part->data.bytes.begin(), part->data.bytes.end());
    });
    std::memcpy(all, seen.copy.data(), seen.copy.size());
  });
}

int MPI_Win_allocate_shared(MPI_Aint size, int, MPI_Info, MPI_Comm comm, void* base, MPI_Win* window) {
  return call("MPI_Win_allocate_shared", [&](World& world, int me) {
    Comm& all = world.comm_of(comm);
    const Share share{.kind = "MPI_Win_allocate_shared",
                      .data = {{static_cast<std::byte*>(nullptr), static_cast<std::size_t>(size)}}};
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
