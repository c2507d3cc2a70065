#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <tuple>
#include <utility>

#include "profiler/preload/recorder.hpp"

/// Precedes the definition of PMPI_name. Makes MPI_name an alias of it, and looks up MPI's own function as
/// real_name. Both names are defined, because MPI's Fortran interfaces call the second one.
#define LOADSHARE_INTERPOSE(name)                                                                       \
  extern "C" [[gnu::visibility("default")]] decltype(PMPI_##name) PMPI_##name;                          \
  extern "C" [[gnu::visibility("default"), gnu::alias("PMPI_" #name)]] decltype(MPI_##name) MPI_##name; \
  static const auto real_##name = reinterpret_cast<decltype(&PMPI_##name)>(dlsym(RTLD_NEXT, "PMPI_" #name));

/// The Call that describes this call of MPI_name, for use in the function of that name.
#define LOADSHARE_CALL(name)                                        \
  ::loadshare::profile::Call {                                      \
    ::loadshare::profile::CallId::name, "MPI_" #name,               \
        ::loadshare::profile::place_of(__builtin_return_address(0)) \
  }

/// Parameters a, b, c ... whose types are type(name, 0), type(name, 1) ..., and their names as arguments.
// clang-format off
#define LOADSHARE_PARAMETERS_1(type, name) type(name, 0) a
#define LOADSHARE_ARGUMENTS_1 a
#define LOADSHARE_PARAMETERS_2(type, name) LOADSHARE_PARAMETERS_1(type, name), type(name, 1) b
#define LOADSHARE_ARGUMENTS_2 LOADSHARE_ARGUMENTS_1, b
#define LOADSHARE_PARAMETERS_3(type, name) LOADSHARE_PARAMETERS_2(type, name), type(name, 2) c
#define LOADSHARE_ARGUMENTS_3 LOADSHARE_ARGUMENTS_2, c
#define LOADSHARE_PARAMETERS_4(type, name) LOADSHARE_PARAMETERS_3(type, name), type(name, 3) d
#define LOADSHARE_ARGUMENTS_4 LOADSHARE_ARGUMENTS_3, d
#define LOADSHARE_PARAMETERS_5(type, name) LOADSHARE_PARAMETERS_4(type, name), type(name, 4) e
#define LOADSHARE_ARGUMENTS_5 LOADSHARE_ARGUMENTS_4, e
#define LOADSHARE_PARAMETERS_6(type, name) LOADSHARE_PARAMETERS_5(type, name), type(name, 5) f
#define LOADSHARE_ARGUMENTS_6 LOADSHARE_ARGUMENTS_5, f
#define LOADSHARE_PARAMETERS_7(type, name) LOADSHARE_PARAMETERS_6(type, name), type(name, 6) g
#define LOADSHARE_ARGUMENTS_7 LOADSHARE_ARGUMENTS_6, g
#define LOADSHARE_PARAMETERS_8(type, name) LOADSHARE_PARAMETERS_7(type, name), type(name, 7) h
#define LOADSHARE_ARGUMENTS_8 LOADSHARE_ARGUMENTS_7, h
#define LOADSHARE_PARAMETERS_9(type, name) LOADSHARE_PARAMETERS_8(type, name), type(name, 8) i
#define LOADSHARE_ARGUMENTS_9 LOADSHARE_ARGUMENTS_8, i
#define LOADSHARE_PARAMETERS_10(type, name) LOADSHARE_PARAMETERS_9(type, name), type(name, 9) j
#define LOADSHARE_ARGUMENTS_10 LOADSHARE_ARGUMENTS_9, j
#define LOADSHARE_PARAMETERS_11(type, name) LOADSHARE_PARAMETERS_10(type, name), type(name, 10) k
#define LOADSHARE_ARGUMENTS_11 LOADSHARE_ARGUMENTS_10, k
#define LOADSHARE_PARAMETERS_12(type, name) LOADSHARE_PARAMETERS_11(type, name), type(name, 11) l
#define LOADSHARE_ARGUMENTS_12 LOADSHARE_ARGUMENTS_11, l
#define LOADSHARE_PARAMETERS_13(type, name) LOADSHARE_PARAMETERS_12(type, name), type(name, 12) m
#define LOADSHARE_ARGUMENTS_13 LOADSHARE_ARGUMENTS_12, m
// clang-format on

/// Defines MPI_name with `count` parameters. `recorder` receives the Call, MPI's own function and the
/// arguments.
#define LOADSHARE_RECORD_C(name, count, recorder)                                    \
  LOADSHARE_INTERPOSE(name)                                                          \
  int PMPI_##name(LOADSHARE_PARAMETERS_##count(LOADSHARE_TYPE, name)) {              \
    return recorder(LOADSHARE_CALL(name), real_##name, LOADSHARE_ARGUMENTS_##count); \
  }
#define LOADSHARE_TYPE(name, i) decltype(::loadshare::profile::parameter<i>(&PMPI_##name))

/// The same, and the entries of MPI's Fortran interfaces (mpif.h, `use mpi`, `use mpi_f08`), whose lower-case
/// name is `fortran`. They call PMPI_name, which records the call with translated handles. Only the entry
/// knows the place in the program that made the call, so it stores that place for PMPI_name. All arguments
/// are addresses; that of `ierror` follows those of the C function.
#define LOADSHARE_RECORD(name, fortran, count, recorder) \
  LOADSHARE_RECORD_C(name, count, recorder)              \
  LOADSHARE_FORTRAN_ENTRY(mpi_##fortran##_, count)       \
  LOADSHARE_FORTRAN_ENTRY(mpi_##fortran##_f08_, count)
#define LOADSHARE_ADDRESS(name, i) void*
#define LOADSHARE_ADDRESSES(entry, count) LOADSHARE_PARAMETERS_##count(LOADSHARE_ADDRESS, entry), void* ierror
#define LOADSHARE_FORTRAN_ENTRY(entry, count)                                               \
  extern "C" [[gnu::weak]] void p##entry(LOADSHARE_ADDRESSES(entry, count));                \
  extern "C" [[gnu::visibility("default")]] void entry(LOADSHARE_ADDRESSES(entry, count)) { \
    const ::loadshare::profile::FortranCaller caller(__builtin_return_address(0));          \
    p##entry(LOADSHARE_ARGUMENTS_##count, ierror);                                          \
  }

namespace loadshare::profile {

/// Declared for its return type: the i-th parameter type of a function.
template <std::size_t i, typename... Parameters>
std::tuple_element_t<i, std::tuple<Parameters...>> parameter(int (*)(Parameters...));

/// Returns the argument of type `Type`.
template <typename Type, typename... Arguments>
Type pick(Arguments... arguments) {
  return std::get<Type>(std::tuple(arguments...));
}

inline const void* place_of(const void* address) {
  return fortran_place == nullptr ? address : fortran_place;
}

/// Stores the caller of a Fortran interface while the call lasts. If interfaces are nested, it keeps the
/// outer caller.
class FortranCaller final {
 public:
  explicit FortranCaller(const void* address) : before_(fortran_place) {
    if (before_ == nullptr) fortran_place = address;
  }
  FortranCaller(const FortranCaller&) = delete;
  FortranCaller& operator=(const FortranCaller&) = delete;
  ~FortranCaller() { fortran_place = before_; }

 private:
  const void* before_;
};

/// Marks the thread as inside MPI while it lives.
class Inside final {
 public:
  Inside() : begin_ticks_(the_recorder->enter()) { thread_state = ThreadState::inside; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    if (thread_state == ThreadState::inside) thread_state = ThreadState::outside;
  }
  std::uint64_t begin_ticks() const { return begin_ticks_; }

 private:
  std::uint64_t begin_ticks_;
};

/// Runs `work`; no exception reaches the program. Without memory the recording stops, and the profile ends
/// with the call before.
template <typename Work>
bool safely(Work work) {
  try {
    work();
    return true;
  } catch (...) {
    thread_state = ThreadState::not_recorded;
    is_recording = false;
    return false;
  }
}

/// Makes a call and records it:
/// 1. `describe` returns the call's Message;
/// 2. `make` makes the call;
/// 3. if the call succeeds, `finish(made, message)` records it.
///
/// In a thread that is not recorded, only makes the call.
template <typename Describe, typename Make, typename Finish>
int record(Call call, Describe describe, Make make, Finish finish) {
  if (thread_state != ThreadState::outside) {
    count_unrecorded();
    return make();
  }
  const Inside inside;
  call.begin_ticks = inside.begin_ticks();
  Message message;
  const auto prepare = [&] {
    message = describe();
    the_recorder->set_open_call(call, message);
  };
  if (!safely(prepare)) return make();
  const int result = make();
  safely([&] {
    if (result == MPI_SUCCESS)
      finish(call, message);
    else
      the_recorder->leave(call, {.communicator = message.communicator});
  });
  return result;
}

/// Records a call without a request.
template <typename Describe, typename Make>
int record(const Call& call, Describe describe, Make make) {
  return record(call, describe, make,
                [](const Call& made, const Message& message) { the_recorder->leave(made, message); });
}

/// Describes calls whose Message is empty before they are made.
inline Message nothing() {
  return {};
}

}  // namespace loadshare::profile
