#pragma once

#include "apps/synthetic/effort.hpp"

namespace loadshare::synthetic {

/// Work for nobody: the worker sleeps. For looking at the runtime alone, with more workers than processors.
/// A chunk sleeps once, until its begin plus its whole cost, so that short sleeps' errors do not add up.
class Sleep final : public Effort {
 public:
  void spend(double cost_s, const Work& work) const override;
  bool uses_processor() const override { return false; }
};

}  // namespace loadshare::synthetic
