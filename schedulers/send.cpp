#include "schedulers/send.hpp"

#include <algorithm>

#include "schedulers/techniques.hpp"

namespace loadshare {

Cut Send::next(const Request& request) {
  return {std::min(size_, request.remaining)};
}

SchedulerEntry send_entry() {
  return {"send",
          "chunks of one fixed size (Piotrowski and Dandamudi 1997, section 3.1)",
          {{"size", "3", "t, iterations in a chunk"}},
          [](const SchedulerSpec& spec, const LoopFacts&) {
            return std::make_unique<Send>(Send::Parameters{.size = spec.integer("size").value_or(3)});
          },
          [](const LoopFacts& loop) { return specs_of("send:", sizes_worth_trying(loop)); },
          SizeKind::fixed};
}

SchedulerEntry ss_entry() {
  return {.name = "ss",
          .description = "self-scheduling: one iteration at a time (Tang and Yew 1986)",
          .parameters = {},
          .make = [](const SchedulerSpec&,
                     const LoopFacts&) { return std::make_unique<Send>(Send::Parameters{.size = 1}); },
          .candidates = nothing_worth_trying,  // the last candidate of `send` is as small
          .kind = SizeKind::fixed};
}

}  // namespace loadshare
