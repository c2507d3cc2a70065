#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/messages/curve.hpp"

namespace loadshare::communication {

/// Sizes at which a sender is in one of two states, by what is free of the kernel's buffers at the moment: it
/// is gone at once, or it waits for the wire. Smaller messages are gone, larger ones wait.
struct TwoStates {
  double first_size = 0;   ///< the smallest size that was seen in both
  double last_size = 0;    ///< the largest
  double border_size = 0;  ///< from which on it mostly waits
  double between_s = 0;    ///< a time longer than those of who is gone, shorter than those of who waits

  bool is_mixed(double size) const { return size >= first_size && size <= last_size; }
  bool is_waiting(const Sample& sample) const {
    return is_mixed(sample.size) ? sample.seconds > between_s : sample.size > last_size;
  }
};

/// Where times of one size fall into two groups, each with a good part of them, that lie a factor apart, and
/// there are smaller sizes, all in the one, and larger ones, all in the other. Nothing where it is not so:
/// single late messages make no state, nor do times that jump from one size to the next.
std::optional<TwoStates> find_two_states(std::span<const Sample> samples);

/// Samples and what they are of, for errors.
struct NamedSamples {
  std::vector<Sample> samples;
  std::string name;
};

/// By the fit of that name; samples of one size alone, through which no line can be laid, give their median
/// for all sizes. There are some. Throws UsageError as fit_curve() does, which begins with what they are of.
Curve fit_or_constant(const std::string& fit, const NamedSamples& part);

/// `right` from the border on, behind all of `left` that is below it.
Curve joined(const Curve& left, const Curve& right, double border);

/// Each state by the fit of that name through its own samples. The curve goes through the one that is more
/// frequent; where both were seen its interval holds both. Throws UsageError as fit_curve() does.
Curve fit_two_states(const std::string& fit, std::span<const Sample> samples, const TwoStates& states);

}  // namespace loadshare::communication
