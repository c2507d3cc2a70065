#include "runtime/load/spinner.hpp"

#include <time.h>

#include <algorithm>

#include "runtime/load/pinned_thread.hpp"
#include "runtime/load/share.hpp"
#include "runtime/timing/clock.hpp"
#include "runtime/timing/punctual_waking.hpp"

namespace loadshare {
namespace {

/// Ahead of its part by at most so much of a whole processor: an on phase ends with half of it on average.
constexpr double most_ahead_s = 2e-3;
constexpr double most_behind_s = 20e-3;
/// Under a control group's limit a turn is as long as elsewhere: who rested after each would lose the next.
constexpr double least_scale = 0.5;
constexpr double longest_rest_s = 5e-3;  // soon enough to see that the load went off, or came on again
constexpr double stint_s = 50e-6;

void rest(double seconds) {
  const timespec nap{0, static_cast<long>(1e9 * std::min(seconds, longest_rest_s))};
  nanosleep(&nap, nullptr);
}

void compute_until(double end_s) {
  volatile double x = 1;
  while (monotonic_s() < end_s)
    for (int i = 0; i < 1000; ++i) x = x * 1.000001;
}

}  // namespace

Spinner::Spinner(const LoadLevel& level, int number, const LoadPlace& place)
    : level_(level),
      number_(number),
      place_(place),
      budget_(most_ahead_s * std::max(least_scale, place.capacity),
              most_behind_s * std::max(least_scale, place.capacity)),
      thread_([this] { run(); }) {}

void Spinner::run() {
  const PinnedThread pinned(place_.cpu);
  double share_before = 0;
  while (true) {
    const std::uint32_t version = level_.version();
    if (level_.is_over()) break;  // asked after the version, or an end in between would never be heard of
    const double share = level_.share();
    const double due_s = level_.due_s();
    if (number_ == 0 && share > 0 && share_before == 0) lateness_s_.push_back(monotonic_s() - due_s);
    share_before = share;
    const int active = threads_for(share);
    if (number_ < active) burn(version, share * place_.capacity / active);
    await_change(version);
  }
  cpu_s_ = thread_cpu_s();
}

// As long as it waits it asks for short turns, so that a worker on the processor makes way at once; not while
// it burns, where it is to be a program like any other.
void Spinner::await_change(std::uint32_t version) const {
  const PunctualWaking punctual;
  level_.await_change(version);
}

void Spinner::burn(std::uint32_t version, double rate) {
  budget_.begin(rate, monotonic_s(), thread_cpu_s());
  while (level_.version() == version) {
    compute_until(monotonic_s() + stint_s);
    const double rest_s = budget_.settle(monotonic_s(), thread_cpu_s());
    if (rest_s > 0) rest(rest_s);
  }
}

}  // namespace loadshare
