#include "profiler/preload/run.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <ctime>

#include "profiler/preload/record.hpp"
#include "profiler/preload/recorder.hpp"

namespace loadshare::profile {
namespace {

/// mpirun ends ranks by SIGTERM, people by SIGINT; batch systems warn by SIGUSR1, SIGUSR2 and SIGXCPU; and a
/// program's faults.
constexpr std::array deadly_signals{SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE,
                                    SIGXCPU, SIGABRT, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGSYS};
/// Those of them that are faults: the kernel says where they happened.
constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE, SIGILL};

constinit std::array<struct sigaction, NSIG> before{};
constinit pid_t watched = 0;

/// Open MPI's handler of faults prints where they were, and ends the process.
bool is_of_mpi(const struct sigaction& action) {
  Dl_info info{};
  const auto* handler = reinterpret_cast<const void*>(action.sa_sigaction);
  return dladdr(handler, &info) != 0 && info.dli_fname != nullptr &&
         std::strstr(info.dli_fname, "/libopen-pal") != nullptr;
}

bool is_left_to_the_system(const struct sigaction& action) {
  const bool has_plain = (action.sa_flags & SA_SIGINFO) == 0;
  if (has_plain && action.sa_handler == SIG_IGN) return false;
  return (has_plain && action.sa_handler == SIG_DFL) || is_of_mpi(action);
}

bool is_fault(int signal) {
  return std::ranges::find(faults, signal) != faults.end();
}

/// Restores the handler there was before; it ends the process.
void give_back(int signal) {
  sigaction(signal, &before[static_cast<std::size_t>(signal)], nullptr);
}

/// A program may have got this by signal(), and calls it, with the signal alone, from the handler that it put
/// in its place. The process ends as soon as that returns.
void sign_and_end(int signal) {
  sign_off(signal);
  give_back(signal);
  raise(signal);
}

/// Whether the kernel sent it, for what the program will do again as the handler returns. `info` is nothing
/// where a handler in our place has none to give.
bool comes_again(int signal, const siginfo_t* info) {
  struct sigaction current {};
  return is_fault(signal) && sigaction(signal, nullptr, &current) == 0 &&
         (current.sa_flags & SA_SIGINFO) != 0 && info->si_code > 0;
}

/// A fault that comes again does so with all that the kernel tells of it.
void sign_and_end_by_fault(int signal, siginfo_t* info, void* /*context*/) {
  if (!comes_again(signal, info)) return sign_and_end(signal);
  sign_off(signal);
  give_back(signal);
}

struct sigaction our_action(int signal) {
  struct sigaction ours {};
  ours.sa_flags = SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  if (is_fault(signal)) {
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = sign_and_end_by_fault;
  } else {
    ours.sa_handler = sign_and_end;
  }
  return ours;
}

[[gnu::destructor]] void sign_at_exit() {
  sign_off(0);
}

void* give_signs(void* /*nothing*/) {
  constexpr timespec period{0, 50'000'000};
  while (is_recording.load(std::memory_order_relaxed)) {
    the_recorder->give_sign();
    nanosleep(&period, nullptr);
  }
  return nullptr;
}

/// A thread that takes no signals: they are the program's threads'. Without it there are the other signs.
void begin_to_give_signs() {
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, give_signs, nullptr) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

}  // namespace

void watch_for_the_end() {
  watched = getpid();
  begin_to_give_signs();
  for (const int signal : deadly_signals) {
    struct sigaction& old = before[static_cast<std::size_t>(signal)];
    const struct sigaction ours = our_action(signal);
    if (sigaction(signal, nullptr, &old) == 0 && is_left_to_the_system(old))
      sigaction(signal, &ours, nullptr);
  }
}

/// A child that was forked has the handlers too, and no part in the profile.
void sign_off(int signal) {
  if (is_recording.load(std::memory_order_relaxed) && getpid() == watched) the_recorder->sign_off(signal);
}

}  // namespace loadshare::profile

/// The next one's: the C library's, or another preloaded library's.
static const auto real_exit = reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "_exit"));

/// Open MPI ends ranks by this, from a thread of its own, when their mpirun is gone. Who gets here before
/// this library is ready finds no real one.
extern "C" [[gnu::visibility("default"), gnu::noreturn]] void _exit(int code) {
  loadshare::profile::sign_off(0);
  if (real_exit != nullptr) real_exit(code);
  for (;;) syscall(SYS_exit_group, code);
}

extern "C" [[gnu::visibility("default"), gnu::noreturn]] void _Exit(int code) {
  _exit(code);

}  // namespace loadshare::profile

using namespace loadshare::profile;

namespace {

/// A profile is nothing that a program may fail for.
void begin_if_possible(int result, const ClockPair& before) {
  if (result != MPI_SUCCESS) return;
  try {
    begin_run(before);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "loadshare profile: cannot begin (%s); the program runs on, unprofiled\n",
                 error.what());
  }
}

ClockPair first_look() {
  Ticks::choose();
  return Ticks::pair();
}

}  // namespace

LOADSHARE_INTERPOSE(Init)
int PMPI_Init(int* argc, char*** argv) {
  const ClockPair before = first_look();
  const int result = real_Init(argc, argv);
  begin_if_possible(result, before);
  return result;
}

LOADSHARE_INTERPOSE(Init_thread)
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const ClockPair before = first_look();
  const int result = real_Init_thread(argc, argv, required, provided);
  begin_if_possible(result, before);
  return result;
}

LOADSHARE_INTERPOSE(Finalize)
int PMPI_Finalize() {
  if (where == Where::outside) safely(end_run);
  return real_Finalize();
}

LOADSHARE_INTERPOSE(Abort)
int PMPI_Abort(MPI_Comm group, int code) {
  if (where == Where::outside) {
    the_recorder->abort();
  } else if (is_recording) {
    the_recorder->section.slot().has_aborted = 1;
    sign_off(0);
  }
  return real_Abort(group, code);
}
