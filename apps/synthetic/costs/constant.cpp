#include "apps/synthetic/costs/constant.hpp"

#include "apps/synthetic/costs/values.hpp"

namespace loadshare::synthetic {

double Constant::seconds(Index) const {
  return each_s_;
}

CostEntry constant_entry() {
  return {"constant",
          "the same for every iteration",
          {{"mean", "1ms", "what each costs"}},
          [](const Spec& spec, const CostContext&) {
            return std::make_unique<Constant>(duration_s(spec, "mean", 1e-3));
          }};
}

}  // namespace loadshare::synthetic
