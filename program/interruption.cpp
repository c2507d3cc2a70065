#include "program/interruption.hpp"

#include "base/io/process.hpp"
#include "runtime/records/progress.hpp"

namespace loadshare {

namespace {

std::atomic<bool> is_interrupted = false;
std::atomic<bool> is_draining = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // required in a signal handler

// A second signal ends the process immediately; by then another update may have drawn the progress bar again.
void note_interruption(int signal) {
  is_interrupted = true;
  leave_progress_bar();
  leave_progress_bar_on(signal);
}

void note_drain(int) {
  is_draining = true;
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

}  // namespace

const std::atomic<bool>& watch_interruptions() {
  constexpr int once = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) handle(signal, note_interruption, once);
  if (!is_ignored(SIGHUP)) handle(SIGHUP, note_interruption, once);
  return is_interrupted;
}

void be_ended_by_signals() {
  std::signal(SIGTERM, SIG_DFL);
  if (!is_ignored(SIGHUP)) std::signal(SIGHUP, SIG_DFL);
}

const std::atomic<bool>& watch_drain(std::optional<int> signal) {
  if (signal) handle(*signal, note_drain, SA_RESTART);
  return is_draining;
}

}  // namespace loadshare
