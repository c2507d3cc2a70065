#include "program/interruption.hpp"

#include <csignal>

namespace loadshare {

namespace {

std::atomic<bool> is_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may touch nothing else

void note(int) {
  is_interrupted = true;
}

}  // namespace

const std::atomic<bool>& watch_interruptions() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return is_interrupted;
}

}  // namespace loadshare
