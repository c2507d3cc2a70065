#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

// What techniques that look at each worker keep of them, so that no decision visits them all.

/// A sum whose terms are replaced one at a time. The rounding errors of all its updates are kept, so that
/// millions of them do not let it drift.
class RunningSum {
 public:
  /// Returns the sum but for the rounding error of this very update, for which nobody who decides need wait.
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
  // Knuth's two-sum: the exact error that `sum`, rounded, of these two has, whichever of them is larger.
  static double error_of(double sum, double a, double b) {
    const double added = sum - a;
    return (a - (sum - added)) + (b - added);
  }

  double sum_ = 0;
  double errors_ = 0;
};

/// How many workers a loop has: as many as are there, and those that are expected yet. Who left is expected
/// no more.
class Crowd {
 public:
  explicit Crowd(Index expected) : expected_(expected) {}

  void joined() {
    ++present_;
    gone_ = std::max<Index>(gone_ - 1, 0);
  }
  void left() {
    --present_;
    ++gone_;
  }
  /// At least 1.
  Index size() const { return std::max({present_, expected_ - gone_, Index{1}}); }

 private:
  Index expected_;
  Index present_ = 0;
  Index gone_ = 0;
};

/// Makes room for this worker in what is kept by worker number. Out of line, so that who looks up a worker at
/// each chunk has no more than a comparison there.
template <class Element>
[[gnu::noinline]] void make_room(std::vector<Element>& elements, WorkerId worker) {
  elements.resize(to_number(worker) + std::size_t{1});
}

/// The element for this worker of what is kept by worker number.
template <class Element>
inline Element& at_worker(std::vector<Element>& elements, WorkerId worker) {
  if (to_number(worker) >= elements.size()) make_room(elements, worker);
  return elements[to_number(worker)];
}

/// Parts of what there is to do, in proportion to the workers' speeds; who has not shown any counts as one of
/// mean speed.
class Shares {
 public:
  explicit Shares(Index workers_expected) : crowd_(workers_expected) {}

  void joined() { crowd_.joined(); }
  /// Its speed is not known any more.
  void left(WorkerId worker) {
    crowd_.left();
    set_speed(worker, 0);
  }
  /// In any unit, the same for all; 0: not known.
  void set_speed(WorkerId worker, double speed) {
    double& kept = at_worker(speeds_, worker);
    known_ += (speed > 0 ? 1 : 0) - (kept > 0 ? 1 : 0);
    sum_.replace(kept, speed);
    kept = speed;
  }

  Index workers() const { return crowd_.size(); }
  /// What of `amount` is this worker's.
  double of(WorkerId worker, double amount) const {
    const double speed = to_number(worker) < speeds_.size() ? speeds_[to_number(worker)] : 0;
    const auto workers = static_cast<double>(crowd_.size());
    return speed > 0 ? amount * speed * known_ / (sum_.value() * workers) : amount / workers;
  }

 private:
  Crowd crowd_;
  std::vector<double> speeds_;  // by worker number; 0: not known
  RunningSum sum_;
  double known_ = 0;  // speeds
};

}  // namespace loadshare
