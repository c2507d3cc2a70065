#pragma once

#include <functional>
#include <string>
#include <utility>

namespace loadshare::tcp {

/// Limits notes to a person that others can cause as often as they like. The first ones within a while are
/// passed on, the rest only counted. Pure: seconds are handed in, of any one clock.
class BoundedNotes final {
 public:
  static constexpr double while_s = 10;

  BoundedNotes(int most, std::function<void(const std::string&)> note)
      : most_(most), note_(std::move(note)) {}

  void tell(const std::string& text, double now_s) {
    if (now_s >= begun_s_ + while_s) begin(now_s);
    if (passed_on_ < most_) note_(text);
    ++passed_on_;
  }

 private:
  void begin(double now_s) {
    if (passed_on_ > most_)
      note_(std::to_string(passed_on_ - most_) + " more notes like the last were left out");
    begun_s_ = now_s;
    passed_on_ = 0;
  }

  int most_;
  std::function<void(const std::string&)> note_;
  double begun_s_ = -while_s;
  int passed_on_ = 0;
};

}  // namespace loadshare::tcp
