#include "models/messages/message_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/statistics.hpp"
#include "models/messages/fit.hpp"
#include "models/messages/fits/interpolated.hpp"
#include "models/messages/two_states.hpp"

namespace loadshare::communication {
namespace {

std::vector<SizeWait> sizes_of(std::span<const MessageSample> samples) {
  std::map<double, int> votes;
  for (const MessageSample& sample : samples)
    if (sample.mode == SendMode::standard && sample.posted == ReceivePosted::after)
      votes[sample.bytes] += sample.has_waited ? 1 : -1;
  std::vector<SizeWait> sizes;
  for (const auto& [bytes, vote] : votes) sizes.push_back({bytes, vote > 0});
  return sizes;
}

/// A difference of two stamps may be 0; shorter than a clock's step nothing can be told from it.
constexpr double clock_step_s = 1e-9;

/// Which of the samples one curve goes through.
struct Part {
  SendMode mode;
  Side side;
  ReceivePosted posted;
};

std::string text_of(const Part& part) {
  return fmt::format("the {} of {} sends, receive posted {}", name_of(part.side), name_of(part.mode),
                     name_of(part.posted));
}

std::vector<Sample> samples_of(std::span<const MessageSample> all, const Part& part) {
  std::vector<Sample> samples;
  for (const MessageSample& one : all) {
    if (one.mode != part.mode || one.posted != part.posted) continue;
    const double seconds = part.side == Side::sender ? one.sender_s : one.receiver_s;
    samples.push_back({one.bytes, seconds >= 0 ? std::max(seconds, clock_step_s) : seconds, one.launch});
  }
  return samples;
}

/// An error of one curve says of which.
auto naming(const std::string& name, const auto& fit) {
  try {
    return fit();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", name, error.what()));
  }
}

/// Whether the kernel's buffers decide when a sender is gone.
bool feels_buffers(const Part& part) {
  return part.side == Side::sender && part.mode != SendMode::buffered;
}

/// By all modes that are alike in it, of each of which there are few messages; of sizes from `least` on.
std::optional<TwoStates> states_of(std::span<const MessageSample> samples, ReceivePosted posted,
                                   double least) {
  std::vector<Sample> all;
  for (const SendMode mode : send_modes)
    if (const Part part{mode, Side::sender, posted}; feels_buffers(part))
      for (const Sample& one : samples_of(samples, part))
        if (one.size >= least) all.push_back(one);
  return find_two_states(all);
}

using States = std::optional<TwoStates>;

Curve fit_part(const std::string& fit, const NamedSamples& part, const States& states) {
  return states ? fit_two_states(fit, part.samples, *states) : fit_or_constant(fit, part);
}

/// A line across the change from sends that do not wait to such that do would be of neither.
Curve fit_apart(const std::string& fit, const std::vector<Sample>& samples, double border,
                const States& states) {
  NamedSamples small{{}, fmt::format("sizes below {} bytes, which do not wait", border)};
  NamedSamples large{{}, fmt::format("sizes from {} bytes on, which wait", border)};
  for (const Sample& sample : samples) (sample.size < border ? small : large).samples.push_back(sample);
  if (small.samples.empty()) return states ? fit_two_states(fit, samples, *states) : fit_curve(fit, samples);
  if (large.samples.empty()) return fit_curve(fit, samples);
  return joined(fit_or_constant(fit, small), fit_part(fit, large, states), border);
}

/// Of posted receives, whose times are the least disturbed, of sizes that the wire decides.
double deviation_of_new_launch(std::span<const MessageSample> samples, const MessageModel& model) {
  constexpr double octaves = 4;
  double largest = 0;
  for (const MessageSample& one : samples) largest = std::max(largest, one.bytes);
  LaunchRatios ratios;
  for (const MessageSample& one : samples) {
    if (one.posted != ReceivePosted::before || one.bytes < largest / std::exp2(octaves)) continue;
    const double expected_s = model.receiver_s(one.mode, one.posted, one.bytes);
    if (one.receiver_s > 0 && expected_s > 0) ratios[one.launch].push_back(one.receiver_s / expected_s);
  }
  if (ratios.empty()) return 0;
  const Band band = band_of_launches(ratios);
  return Estimate{1, band.low, band.high, false}.deviation();
}

double slope_of_last_octave(const Curve& curve) {
  const double last = curve.last_size();
  return std::max(0.0, (curve.seconds(last) - curve.seconds(last / 2)) / (last / 2));
}

}  // namespace

double WaitingBorder::bytes() const {
  if (!above_bytes) return std::numeric_limits<double>::infinity();
  return below_bytes ? (*below_bytes + *above_bytes) / 2 : 0;
}

WaitingBorder waiting_border(std::span<const SizeWait> sizes) {
  auto contradicting = std::ranges::count(sizes, false, &SizeWait::is_waiting);  // with the border before all
  auto fewest = contradicting;
  std::size_t border = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    contradicting += sizes[i].is_waiting ? 1 : -1;
    if (contradicting >= fewest) continue;
    fewest = contradicting;
    border = i + 1;
  }
  WaitingBorder result;
  if (border > 0) result.below_bytes = sizes[border - 1].bytes;
  if (border < sizes.size()) result.above_bytes = sizes[border].bytes;
  return result;
}

double waiting_size(std::span<const MessageSample> samples) {
  return waiting_border(sizes_of(samples)).bytes();
}

std::size_t MessageModel::place_of(SendMode mode, Side side, ReceivePosted posted) {
  return static_cast<std::size_t>(mode) * 4 + static_cast<std::size_t>(side) * 2 +
         static_cast<std::size_t>(posted);
}

MessageModel::MessageModel(std::span<const MessageSample> samples, const std::string& fit, PairPlace place,
                           std::span<const Sample> gaps) {
  if (samples.empty()) throw UsageError("no samples of messages", "there is nothing to fit");
  fit_all(samples, fit);
  deviation_ = deviation_of_new_launch(samples, *this);
  if (place == PairPlace::one_host) return;
  const Curve* wire = wire_curve();
  if (wire == nullptr)
    throw UsageError("no samples of a send whose receive was posted before",
                     "they show how long a message occupies the network", "calibrate with them");
  port_s_a_byte_ = slope_of_last_octave(*wire);
  if (!gaps.empty()) gap_ = fit_interpolated(gaps);
}

void MessageModel::fit_all(std::span<const MessageSample> samples, const std::string& fit) {
  const double waiting_from = waiting_size(samples);
  const auto states = [&](ReceivePosted posted) {
    return states_of(samples, posted, posted == ReceivePosted::after ? waiting_from : 0);
  };
  const std::map<ReceivePosted, States> all_states{{ReceivePosted::before, states(ReceivePosted::before)},
                                                   {ReceivePosted::after, states(ReceivePosted::after)}};
  for (const SendMode mode : send_modes)
    for (const Side side : {Side::sender, Side::receiver})
      for (const ReceivePosted posted : {ReceivePosted::before, ReceivePosted::after}) {
        const Part part{mode, side, posted};
        const std::vector<Sample> of_part = samples_of(samples, part);
        if (of_part.empty()) continue;
        const States of_sender = feels_buffers(part) ? all_states.at(posted) : std::nullopt;
        const bool may_wait = mode == SendMode::standard && posted == ReceivePosted::after;
        if (may_wait) waiting_from_bytes_ = waiting_from;
        curves_.at(place_of(mode, side, posted)) = naming(text_of(part), [&] {
          if (may_wait) return fit_apart(fit, of_part, waiting_from, of_sender);
          return of_sender ? fit_two_states(fit, of_part, *of_sender) : fit_curve(fit, of_part);
        });
      }
}

bool MessageModel::waits_for_receive(SendMode mode, double bytes) const {
  if (mode == SendMode::synchronous) return true;
  return mode != SendMode::buffered && bytes >= waiting_from_bytes();
}

double MessageModel::sender_s(SendMode mode, ReceivePosted posted, double bytes) const {
  return std::max(0.0, curve(mode, Side::sender, posted).seconds(bytes));
}

double MessageModel::receiver_s(SendMode mode, ReceivePosted posted, double bytes) const {
  return std::max(0.0, curve(mode, Side::receiver, posted).seconds(bytes));
}

double MessageModel::port_s(double bytes) const {
  const double gap_s = gap_ ? gap_->seconds(std::min(bytes, gap_->last_size())) : 0;
  return std::max(gap_s, port_s_a_byte_ * bytes);
}

double MessageModel::waiting_from_bytes() const {
  if (waiting_from_bytes_) return *waiting_from_bytes_;
  throw UsageError("no samples of standard sends, receive posted after",
                   "they show from which size a send waits", "calibrate with them");
}

bool MessageModel::covers(SendMode mode, Side side, ReceivePosted posted, double bytes) const {
  return curve(mode, side, posted).covers(bytes);
}

SizeRange MessageModel::measured_bytes() const {
  SizeRange range{0, std::numeric_limits<double>::infinity()};
  for (const std::optional<Curve>& each : curves_) {
    if (!each) continue;
    range.least_bytes = std::max(range.least_bytes, each->first_size());
    range.most_bytes = std::min(range.most_bytes, each->last_size());
  }
  return range;
}

const Curve* MessageModel::wire_curve() const {
  for (const SendMode mode : send_modes)
    if (has(mode, Side::receiver, ReceivePosted::before))
      return &curve(mode, Side::receiver, ReceivePosted::before);
  return nullptr;
}

const Curve& MessageModel::curve(SendMode mode, Side side, ReceivePosted posted) const {
  const bool is_illegal = mode == SendMode::ready && posted == ReceivePosted::after;
  const SendMode meant = is_illegal ? SendMode::standard : mode;
  if (const auto& found = curves_[place_of(meant, side, posted)]) return *found;
  throw UsageError(fmt::format("no samples of {}", text_of({meant, side, posted})), "its times are not known",
                   "calibrate with that mode");
}

bool MessageModel::has(SendMode mode, Side side, ReceivePosted posted) const {
  return curves_[place_of(mode, side, posted)].has_value();
}

}  // namespace loadshare::communication
