#pragma once

#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace loadshare::tcp {

/// Limits the rate of notes that other processes can cause. The first ones of each period of `while_s`
/// seconds are passed on; the others are counted, and a note gives their number when the period ends. Pure:
/// the caller passes the time.
class BoundedNotes final {
 public:
  static constexpr double while_s = 10;

  BoundedNotes(int most, std::function<void(const std::string&)> note)
      : most_(most), note_(std::move(note)) {}

  void tell(const std::string& text, double now_s) {
    look(now_s);
    if (count_ == 0) begun_s_ = now_s;
    if (count_ < most_) note_(text);
    ++count_;
  }
  /// Reports the count if the period has ended. To be called regularly, because no further note may come.
  void look(double now_s) {
    if (now_s < begun_s_ + while_s) return;
    if (count_ > most_) note_(std::to_string(count_ - most_) + " more notes like the last were left out");
    count_ = 0;
  }
  /// Reports the count in any case, because the period ends with the process.
  void finish() { look(std::numeric_limits<double>::infinity()); }

 private:
  int most_;
  std::function<void(const std::string&)> note_;
  double begun_s_ = -while_s;
  int count_ = 0;
};

}  // namespace loadshare::tcp
