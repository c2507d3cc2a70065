#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <utility>

#include "profiler/preload/recorder.hpp"

/// Before the definition of PMPI_name: makes MPI_name the same function, and finds MPI's own, real_name. Both
/// names are taken, because MPI's Fortran interfaces call the second one.
#define LOADSHARE_INTERPOSE(name)                                                                       \
  extern "C" [[gnu::visibility("default")]] decltype(PMPI_##name) PMPI_##name;                          \
  extern "C" [[gnu::visibility("default"), gnu::alias("PMPI_" #name)]] decltype(MPI_##name) MPI_##name; \
  static const auto real_##name = reinterpret_cast<decltype(&PMPI_##name)>(dlsym(RTLD_NEXT, "PMPI_" #name));

/// A parenthesised list without its parentheses: LOADSHARE_LIST parameters.
#define LOADSHARE_LIST(...) __VA_ARGS__

/// The call's place in the program.
#define LOADSHARE_PLACE ::loadshare::profile::place_of(__builtin_return_address(0))

namespace loadshare::profile {

/// Set by the Fortran interfaces, whose callers the return address does not show.
extern constinit thread_local const void* fortran_place [[gnu::tls_model("initial-exec")]];

inline const void* place_of(const void* address) {
  return fortran_place == nullptr ? address : fortran_place;
}

/// The way into MPI and out of it again.
class Inside final {
 public:
  Inside() : begin_ticks_(the_recorder->enter()) { where = Where::inside; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    if (where == Where::inside) where = Where::outside;
  }
  std::uint64_t begin_ticks() const { return begin_ticks_; }

 private:
  std::uint64_t begin_ticks_;
};

/// Nothing of ours may reach the program. Where there is no memory the profile ends with the call before, as
/// if the program had ended there.
template <typename Work>
bool safely(Work work) {
  try {
    work();
    return true;
  } catch (...) {
    where = Where::not_recorded;
    is_recording = false;
    return false;
  }
}

/// Records a call: `describe` gives its Message before it is made, `make` makes it, and where it succeeds
/// `finish(inside, message)` records it. Does nothing but make it where this thread is not recorded.
template <typename Describe, typename Make, typename Finish>
int record(CallId call, const void* place, Describe describe, Make make, Finish finish) {
  if (where != Where::outside) {
    pass_by();
    return make();
  }
  const Inside inside;
  Message message;
  const auto prepare = [&] {
    message = describe();
    the_recorder->go_in(call, inside.begin_ticks(), message, place);
  };
  if (!safely(prepare)) return make();
  const int result = make();
  safely([&] {
    if (result == MPI_SUCCESS)
      finish(inside.begin_ticks(), message);
    else
      the_recorder->leave(call, inside.begin_ticks(), {.communicator = message.communicator}, place);
  });
  return result;
}

/// A call without a request.
template <typename Describe, typename Make>
int record(CallId call, const void* place, Describe describe, Make make) {
  return record(call, place, describe, make, [&](std::uint64_t begin_ticks, const Message& message) {
    the_recorder->leave(call, begin_ticks, message, place);
  });
}

}  // namespace loadshare::profile
