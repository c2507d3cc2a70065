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

/// Signals whose default action ends the process. mpirun ends ranks by SIGTERM, users end them by SIGINT.
/// Batch systems warn by SIGUSR1, SIGUSR2 and SIGXCPU. The others are faults and timers.
constexpr std::array deadly_signals{SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE,
                                    SIGXCPU, SIGABRT, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGSYS};
/// The signals among them that are faults: for these the kernel reports the address.
constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE, SIGILL};

constinit std::array<struct sigaction, NSIG> before{};
constinit pid_t recorded_process = 0;

/// Returns whether the action is Open MPI's handler, which prints the fault's position and ends the process.
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

/// Restores the previous handler, which ends the process.
void restore_handler(int signal) {
  sigaction(signal, &before[static_cast<std::size_t>(signal)], nullptr);
}

/// Handles a signal: records the end and raises the signal again. A program may have replaced this handler
/// and call it from its own one, with the signal only. The process ends when the handler returns.
void record_end_and_raise(int signal) {
  record_end(signal);
  restore_handler(signal);
  raise(signal);
}

/// Returns whether the kernel sent the signal because of an instruction that the program repeats when the
/// handler returns. `info` is undefined if another handler without SA_SIGINFO calls this one.
bool will_recur(int signal, const siginfo_t* info) {
  struct sigaction current {};
  return is_fault(signal) && sigaction(signal, nullptr, &current) == 0 &&
         (current.sa_flags & SA_SIGINFO) != 0 && info->si_code > 0;
}

/// Handles a fault. If the fault is going to be repeated, returns to the instruction, so that the previous
/// handler receives the kernel's information.
void record_end_by_fault(int signal, siginfo_t* info, void* /*context*/) {
  if (!will_recur(signal, info)) return record_end_and_raise(signal);
  record_end(signal);
  restore_handler(signal);
}

struct sigaction our_action(int signal) {
  struct sigaction ours {};
  ours.sa_flags = SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  if (is_fault(signal)) {
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = record_end_by_fault;
  } else {
    ours.sa_handler = record_end_and_raise;
  }
  return ours;
}

[[gnu::destructor]] void record_exit() {
  record_end(0);
}

void* write_heartbeats(void* /*nothing*/) {
  constexpr timespec period{0, 50'000'000};
  while (is_recording.load(std::memory_order_relaxed)) {
    the_recorder->write_heartbeat();
    nanosleep(&period, nullptr);
  }
  return nullptr;
}

/// Starts a thread that writes heartbeats and blocks all signals, because those are meant for the program's
/// threads. If it cannot be started, the profile has no heartbeats.
void start_heartbeat_thread() {
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, write_heartbeats, nullptr) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

}  // namespace

void start_watching_for_end() {
  recorded_process = getpid();
  start_heartbeat_thread();
  for (const int signal : deadly_signals) {
    struct sigaction& old = before[static_cast<std::size_t>(signal)];
    const struct sigaction ours = our_action(signal);
    if (sigaction(signal, nullptr, &old) == 0 && is_left_to_the_system(old))
      sigaction(signal, &ours, nullptr);
  }
}

/// Records the end of the recorded process only: a forked child inherits the handlers.
void record_end(int signal) {
  if (is_recording.load(std::memory_order_relaxed) && getpid() == recorded_process)
    the_recorder->record_end(signal);
}

}  // namespace loadshare::profile

/// The next definition in link order: the C library's, or another preloaded library's.
static const auto real_exit = reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "_exit"));

/// Records the end first: Open MPI calls _exit from a thread of its own when mpirun has vanished. `real_exit`
/// is null if this is called before the library is initialized.
extern "C" [[gnu::visibility("default"), gnu::noreturn]] void _exit(int code) {
  loadshare::profile::record_end(0);
  if (real_exit != nullptr) real_exit(code);
  for (;;) syscall(SYS_exit_group, code);
}

extern "C" [[gnu::visibility("default"), gnu::noreturn]] void _Exit(int code) {
  _exit(code);

}  // namespace loadshare::profile

using namespace loadshare::profile;

namespace {

/// Begins the profile after a successful MPI_Init. If that fails, the program continues without a profile.
void begin_if_possible(int result, const ClockPair& before) {
  if (result != MPI_SUCCESS) return;
  try {
    begin_run(before);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "loadshare profile: cannot start (%s); the program continues without a profile\n",
                 error.what());
  }
}

ClockPair first_reading() {
  Ticks::choose();
  return Ticks::pair();
}

}  // namespace

LOADSHARE_INTERPOSE(Init)
int PMPI_Init(int* argc, char*** argv) {
  const ClockPair before = first_reading();
  const int result = real_Init(argc, argv);
  begin_if_possible(result, before);
  return result;
}

LOADSHARE_INTERPOSE(Init_thread)
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const ClockPair before = first_reading();
  const int result = real_Init_thread(argc, argv, required, provided);
  begin_if_possible(result, before);
  return result;
}

LOADSHARE_INTERPOSE(Finalize)
int PMPI_Finalize() {
  if (thread_state == ThreadState::outside) safely(end_run);
  return real_Finalize();
}

LOADSHARE_INTERPOSE(Abort)
int PMPI_Abort(MPI_Comm group, int code) {
  if (thread_state == ThreadState::outside) {
    the_recorder->abort();
  } else if (is_recording) {
    the_recorder->section.slot().has_aborted = 1;
    record_end(0);
  }
  return real_Abort(group, code);
}
