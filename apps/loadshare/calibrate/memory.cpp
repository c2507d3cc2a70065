#include "apps/loadshare/calibrate/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/loadshare/calibrate/collective_plan.hpp"

namespace loadshare::tool {
namespace {

constexpr Bytes copies_of_a_message = 4;  // one at either end, and two in the buffer of buffered sends
constexpr Bytes blocks_a_partner = 2;     // one to send, one to receive
constexpr Bytes matrices = 3;

void require_blocks(const CalibrateOptions& options, int ranks, int ranks_here,
                    const MemorySources& sources) {
  Bytes most = 0;
  for (const CollectivePlan& plan : collective_plans(options, ranks)) {
    const auto members_here = static_cast<Bytes>(std::min(plan.ranks, ranks_here));
    most = std::max(most, multiply_bytes(members_here * static_cast<Bytes>(plan.ranks),
                                         static_cast<Bytes>(plan.options.max_bytes)));
  }
  require_memory(multiply_bytes(blocks_a_partner, most),
                 fmt::format("a collective call of {} ranks, {} of them here,", ranks, ranks_here),
                 "take a smaller --max-bytes, or --collectives none", sources);
}

}  // namespace

void require_memory_for(const CalibrateOptions& options, int ranks, int ranks_here,
                        const MemorySources& sources) {
  const Index largest = options.survey.most_size();
  require_memory(multiply_bytes(copies_of_a_message, static_cast<Bytes>(largest)),
                 fmt::format("a pair with messages of {} bytes", largest),
                 options.survey.sizes.empty() ? "take a smaller --max-bytes" : "take smaller --sizes",
                 sources);
  require_blocks(options, ranks, ranks_here, sources);
  if (!options.kernel_size) return;
  const auto size = static_cast<Bytes>(*options.kernel_size);
  require_memory(matrices * size * size * sizeof(double), fmt::format("a product of {0} x {0}", size),
                 "take a smaller --kernel-size", sources);
}

}  // namespace loadshare::tool
