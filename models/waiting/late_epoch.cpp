#include "models/waiting/late_epoch.hpp"

namespace loadshare::waiting {

Wait late_epoch(const Matching& matching, EventId call) {
  const auto latest_ns = matching.epochs.latest_partner_ns(call);
  if (!latest_ns) return {};
  return {WaitState::late_epoch, *latest_ns};
}

}  // namespace loadshare::waiting
