#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

// Data that techniques store about each worker, so that no decision visits all workers.

/// A sum whose terms are replaced one at a time. It keeps the rounding errors of all updates, so that
/// millions of them do not accumulate.
class RunningSum {
 public:
  /// Replaces a term. Returns the sum without this update's own rounding error, so that the caller need not
  /// wait for its computation.
  double replace(double before, double latest) {
    const double others = sum_ - before;
    const double sum = others + latest;
    const double value = sum + errors_;
    errors_ = errors_ + error_of(others, sum_, -before) + error_of(sum, others, latest);
    sum_ = sum;
    return value;
  }
  double value() const { return sum_ + errors_; }

 private:
  // Knuth's two-sum: the exact rounding error of `sum` = a + b, whichever of them is larger.
  static double error_of(double sum, double a, double b) {
    const double added = sum - a;
    return (a - (sum - added)) + (b - added);
  }

  double sum_ = 0;
  double errors_ = 0;
};

/// The number of workers of a loop: those present, and those still expected. A worker that has left is no
/// longer expected.
class Crowd {
 public:
  explicit Crowd(Index expected) : expected_(expected) {}

  void joined() {
    ++present_;
    departed_ = std::max<Index>(departed_ - 1, 0);
  }
  void left() {
    --present_;
    ++departed_;
  }
  /// Returns at least 1.
  Index size() const { return std::max({present_, expected_ - departed_, Index{1}}); }

 private:
  Index expected_;
  Index present_ = 0;
  Index departed_ = 0;
};

/// Extends a vector indexed by worker number to include this worker. Out of line, so that a lookup for each
/// chunk costs only a comparison.
template <class Element>
[[gnu::noinline]] void make_room(std::vector<Element>& elements, WorkerId worker) {
  elements.resize(to_number(worker) + std::size_t{1});
}

/// Returns the element for this worker in a vector indexed by worker number.
template <class Element>
inline Element& at_worker(std::vector<Element>& elements, WorkerId worker) {
  if (to_number(worker) >= elements.size()) make_room(elements, worker);
  return elements[to_number(worker)];
}

/// Divides an amount of work in proportion to the workers' speeds. A worker without a known speed counts as
/// one of mean speed.
class Shares {
 public:
  explicit Shares(Index workers_expected) : crowd_(workers_expected) {}

  void joined() { crowd_.joined(); }
  /// Removes the worker and its speed.
  void left(WorkerId worker) {
    crowd_.left();
    set_speed(worker, 0);
  }
  /// Sets a speed in any unit, the same for all workers; 0: unknown.
  void set_speed(WorkerId worker, double speed) {
    double& kept = at_worker(speeds_, worker);
    known_ += (speed > 0 ? 1 : 0) - (kept > 0 ? 1 : 0);
    sum_.replace(kept, speed);
    kept = speed;
  }

  Index workers() const { return crowd_.size(); }
  /// Returns this worker's part of `amount`.
  double of(WorkerId worker, double amount) const {
    const double speed = to_number(worker) < speeds_.size() ? speeds_[to_number(worker)] : 0;
    const auto workers = static_cast<double>(crowd_.size());
    return speed > 0 ? amount * speed * known_ / (sum_.value() * workers) : amount / workers;
  }

 private:
  Crowd crowd_;
  std::vector<double> speeds_;  // by worker number; 0: unknown
  RunningSum sum_;
  double known_ = 0;  // number of known speeds
};

}  // namespace loadshare
