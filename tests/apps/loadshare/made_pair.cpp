#include "tests/apps/loadshare/made_pair.hpp"

namespace loadshare::tool::test {

using communication::ReceivePosted;
using communication::SendMode;

double MadePair::message_s(Index bytes) const {
  const double jump_s = bytes >= jump_bytes_ ? 100e-6 : 0;
  return slowness * (10e-6 + byte_s * static_cast<double>(bytes) + jump_s);
}

std::vector<calibration::MessageTiming> MadePair::visit(const Visit& visit) {
  visits.push_back(visit);
  now_s_ +=
      static_cast<double>(visit.warm_ups + visit.repetitions) * (visit.stay_s + 2 * message_s(visit.bytes));
  const bool waits =
      visit.mode == SendMode::synchronous || (visit.mode == SendMode::standard && visit.bytes >= jump_bytes_);
  std::vector<calibration::MessageTiming> timings;
  for (Index i = 0; i < visit.repetitions; ++i) {
    const double off = 1 + scatter * (++messages_ % 5 - 2) / 2;
    const double seconds = message_s(visit.bytes) * off;
    timings.push_back({seconds, seconds, visit.posted == ReceivePosted::after && waits});
  }
  return timings;
}

}  // namespace loadshare::tool::test
