#pragma once

#include <vector>

#include "apps/loadshare/message_sampling.hpp"

namespace loadshare::tool::test {

/// A pair whose messages cost what a rule says, on a clock that only they move: 10 us and `byte_s` a byte;
/// from `jump_bytes` on 100 us more, and standard sends wait. Every visit is kept.
class MadePair final : public PairExchange {
 public:
  explicit MadePair(Index jump_bytes) : jump_bytes_(jump_bytes) {}

  std::vector<calibration::MessageTiming> visit(const Visit& visit) override;
  double now_s() const override { return now_s_; }

  /// How much each message's times scatter, as a share of them.
  double scatter = 0;
  double byte_s = 1e-9;
  /// How much longer everything takes.
  double slowness = 1;
  std::vector<Visit> visits;

 private:
  double message_s(Index bytes) const;

  Index jump_bytes_;
  double now_s_ = 5;
  int messages_ = 0;
};

}  // namespace loadshare::tool::test
