#include "apps/loadshare/calibration/pair_fit.hpp"

#include <algorithm>

#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;
using calibration::Pair;
using communication::MessageModel;
using communication::MessageSample;
using communication::ReceivePosted;
using communication::Side;

FittedModel model_of(const std::vector<MessageSample>& samples, const MessageModel& costs,
                     const std::string& fit) {
  FittedModel model{fit, "bytes", {"mode", "side", "posted"}, {}};
  for (const auto mode : communication::send_modes)
    for (const auto posted : {ReceivePosted::before, ReceivePosted::after}) {
      const Index count = std::ranges::count_if(samples, [&](const MessageSample& sample) {
        return sample.mode == mode && sample.posted == posted;
      });
      for (const auto side : {Side::sender, Side::receiver})
        if (costs.has(mode, side, posted))
          model.groups.push_back(
              {{name_of(mode), name_of(side), name_of(posted)}, count, costs.curve(mode, side, posted)});
    }
  return model;
}

PairFit fit_pair(const Calibration& calibration, const Pair& pair, const std::string& fit) {
  try {
    const MessageModel costs = message_model(calibration, pair, fit);
    return {pair, model_of(samples_of(calibration, pair), costs, fit), {}};
  } catch (const UsageError& error) {
    return {pair, std::nullopt, error.what()};
  }
}

}  // namespace

MessageModel message_model(const Calibration& calibration, const Pair& pair, const std::string& fit) {
  using communication::PairPlace;
  return {samples_of(calibration, pair), fit,
          share_host(calibration, pair) ? PairPlace::one_host : PairPlace::two_hosts};
}

std::vector<PairFit> fit_pairs(const Calibration& calibration, const std::string& fit) {
  std::vector<PairFit> fits;
  for (const Pair& pair : pairs_of(calibration)) fits.push_back(fit_pair(calibration, pair, fit));
  return fits;
}

}  // namespace loadshare::tool
