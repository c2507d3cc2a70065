#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/timing/progress.hpp"
#include "schedulers/types.hpp"

namespace loadshare::sweep {

/// How far a sweep is.
struct Tally {
  Index done = 0;              ///< runs that need not be made any more
  Index left = 0;              ///< those to come, at most; with the one that runs
  Index failed = 0;            ///< of those done
  double left_s = 0;           ///< how long the rest will take, from what the others took; 0: not known
  bool may_end_early = false;  ///< where a stop rule may save runs
};

/// Tells a person how far the sweep is: `sweep  12/90 runs  13 %  1 failed  ETA 3:24 fig3a/scheduler=gss:14`.
/// Knows no clock and no terminal, as the runs' own progress.
class SweepProgress {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// `columns_wide`: of the terminal, for the bar.
  SweepProgress(ProgressMode mode, int columns_wide, Sink sink);

  /// `current`: the point that is running.
  void update(double now_s, const Tally& tally, std::string_view current);
  /// Takes the bar off the screen, before something else is printed there.
  void clear();

 private:
  bool is_due(double now_s);
  std::string text(const Tally& tally, std::string_view current) const;

  ProgressMode mode_;
  int columns_wide_;
  Sink sink_;
  bool has_started_ = false;
  bool has_bar_ = false;
  double due_s_ = 0;
  double interval_s_ = 0;
};

}  // namespace loadshare::sweep
