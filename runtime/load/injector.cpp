#include "runtime/load/injector.hpp"

#include <time.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cmath>
#include <deque>
#include <utility>

#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"

namespace loadshare {
namespace {

/// How much of a whole processor a spinner may use in advance, and make up for. When the load goes off, half
/// of the advance has been used on average.
constexpr double most_ahead_s = 2e-3;
constexpr double most_behind_s = 20e-3;
/// Under a control group's limit both shrink with the capacity, but not below this factor. Turns remain as
/// long as usual there, and a spinner that rested after each turn would miss the next.
constexpr double least_scale = 0.5;
constexpr double longest_rest_s = 5e-3;  // short enough to notice that the load went off or came on
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

std::chrono::steady_clock::time_point time_point(double monotonic_s) {
  using std::chrono::steady_clock;
  return steady_clock::time_point(
      std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(monotonic_s)));
}

/// Returns the value that the part `share` of the values does not exceed; 0 without values.
double percentile(const std::vector<double>& ascending, double share) {
  if (ascending.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(ascending.size())));
  return ascending[std::clamp(rank, std::size_t{1}, ascending.size()) - 1];
}

}  // namespace

void Budget::begin(double rate, double now_s, double cpu_s) {
  rate_ = rate;
  last_s_ = now_s;
  last_cpu_s_ = cpu_s;
}

double Budget::charge(double now_s, double cpu_s) {
  left_s_ += rate_ * (now_s - last_s_) - (cpu_s - last_cpu_s_);
  left_s_ = std::min(left_s_, most_behind_s_);
  last_s_ = now_s;
  last_cpu_s_ = cpu_s;
  return left_s_ < -most_ahead_s_ ? -left_s_ / rate_ : 0;
}

Spinner::Spinner(const LoadLevel& level, int number, const LoadPlace& place)
    : level_(level),
      number_(number),
      place_(place),
      budget_(most_ahead_s * std::max(least_scale, place.capacity),
              most_behind_s * std::max(least_scale, place.capacity)) {
  thread_.start("for the load", [this] { run(); });
}

void Spinner::run() {
  const PinnedThread pinned(place_.cpu);
  double share_before = 0;
  while (true) {
    const std::uint32_t version = level_.version();
    if (level_.has_ended()) break;  // after reading the version, to see a change in between
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

// Uses short turns while it waits, to get the processor immediately when the load comes on. While it burns it
// uses normal turns, as any other program does.
void Spinner::await_change(std::uint32_t version) const {
  const PunctualWaking punctual;
  level_.await_change(version);
}

void Spinner::burn(std::uint32_t version, double rate) {
  budget_.begin(rate, monotonic_s(), thread_cpu_s());
  while (level_.version() == version) {
    compute_until(monotonic_s() + stint_s);
    const double rest_s = budget_.charge(monotonic_s(), thread_cpu_s());
    if (rest_s > 0) rest(rest_s);
  }
}

class Injector::Impl {
 public:
  Impl(const LoadPlan& plan, const LoadPlace& place, double zero_s) : plan_(plan), zero_s_(zero_s) {
    const int count = threads_for(plan.most_share());
    try {
      for (int number = 0; number < count; ++number) spinners_.emplace_back(level_, number, place);
      await(*plan_.next_change(-1));
      clock_.start("for the load's clock", [this] { watch_clock(); });
    } catch (...) {
      end_threads();
      throw;
    }
  }
  ~Impl() { end_threads(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  LoadMeasure stop() {
    end_threads();
    clock_.join();
    for (Spinner& spinner : spinners_) spinner.join();
    account(monotonic_s());
    LoadMeasure measure = measure_;
    for (const Spinner& spinner : spinners_) {
      measure.cpu_s += spinner.cpu_s();
      lateness_s_.insert(lateness_s_.end(), spinner.lateness_s().begin(), spinner.lateness_s().end());
    }
    std::ranges::sort(lateness_s_);
    measure.late_p99_s = percentile(lateness_s_, 0.99);
    measure.late_max_s = percentile(lateness_s_, 1);
    return measure;
  }

 private:
  void watch_clock() {
    // After the spinners' threads are created, because they would inherit the short turns.
    const PunctualWaking punctual;
    context_.run();
    measure_.cpu_s = thread_cpu_s();
  }

  void await(const LoadStep& step) {
    timer_.expires_at(time_point(zero_s_ + step.at_s));
    timer_.async_wait([this, step](const std::error_code& error) {
      if (!error) change(step);
    });
  }

  void change(const LoadStep& step) {
    const double due_s = zero_s_ + step.at_s;
    const bool comes_on = share_ == 0 && step.share > 0;
    const bool is_off_still = share_ == 0 && step.share == 0;
    account(monotonic_s());
    share_ = step.share;
    level_.set(step.share, due_s);
    if (comes_on) ++measure_.cycles;
    // A spinner measures the delay of coming on, because it may have to wait for the processor.
    if (!comes_on && !is_off_still) lateness_s_.push_back(monotonic_s() - due_s);
    if (const auto next = plan_.next_change(step.at_s)) await(*next);
  }

  /// Adds the time since the last change.
  void account(double now_s) {
    if (share_ > 0) {
      measure_.on_s += now_s - last_s_;
      measure_.asked_s += share_ * (now_s - last_s_);
    }
    last_s_ = now_s;
  }

  void end_threads() noexcept {
    context_.stop();
    clock_.wait();
    if (std::exchange(is_ended_, true)) return;
    level_.end();
    for (Spinner& spinner : spinners_) spinner.wait();
  }

  LoadPlan plan_;
  double zero_s_;
  LoadLevel level_;
  std::deque<Spinner> spinners_;
  asio::io_context context_{1};
  asio::steady_timer timer_{context_};
  // While the clock's thread runs, only it writes these:
  double share_ = 0;
  double last_s_ = 0;
  LoadMeasure measure_;
  std::vector<double> lateness_s_;
  CheckedThread clock_;
  bool is_ended_ = false;
};

Injector::Injector(const LoadPlan& plan, const LoadPlace& place, double zero_s)
    : impl_(std::make_unique<Impl>(plan, place, zero_s)) {}
Injector::~Injector() = default;

LoadMeasure Injector::stop() {
  return impl_->stop();
}

}  // namespace loadshare
