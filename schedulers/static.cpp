#include "schedulers/static.hpp"

#include "schedulers/techniques.hpp"

namespace loadshare {

Cut Static::next(const Request& request) {
  const Index size = divided(request.remaining, left_, Rounding::up);
  left_ = std::max<Index>(left_ - 1, 1);
  return {size};
}

SchedulerEntry static_entry() {
  return {.name = "static",
          .description = "one equal chunk a worker (OpenMP's schedule(static))",
          .parameters = {},
          .make =
              [](const SchedulerSpec&, const LoopFacts& loop) {
                return std::make_unique<Static>(Static::Parameters{.workers = divisible_workers(loop)});
              },
          .kind = SizeKind::fixed};
}

}  // namespace loadshare
