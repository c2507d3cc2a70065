#include "apps/synthetic/costs/bimodal.hpp"

#include "apps/synthetic/costs/draws.hpp"

namespace loadshare::synthetic {

double Bimodal::seconds(Index iteration) const {
  return Draws(seed_, iteration).uniform() < share_ ? range_.high_s : range_.low_s;
}

CostEntry bimodal_entry() {
  return {"bimodal",
          "cheap or dear, in random order",
          {{"low", "500us", "what a cheap one costs"},
           {"high", "5.5ms", "what a dear one costs"},
           {"share", "0.1", "the part of the iterations that are dear"}},
          [](const Spec& spec, const CostContext& context) {
            return std::make_unique<Bimodal>(cost_range(spec, {500e-6, 5.5e-3}), ratio(spec, "share", 0.1, 1),
                                             context.seed);
          }};
}

}  // namespace loadshare::synthetic
