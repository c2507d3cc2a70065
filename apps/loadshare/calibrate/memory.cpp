#include "apps/loadshare/calibrate/memory.hpp"

#include <fmt/format.h>

namespace loadshare::tool {
namespace {

constexpr Bytes copies_of_a_message = 4;  // one at either end, and two in the buffer of buffered sends
constexpr Bytes blocks_a_partner = 2;     // one to send, one to receive
constexpr Bytes matrices = 3;

}  // namespace

void require_memory_for(const CalibrateOptions& options, int ranks, const MemorySources& sources) {
  const Index largest = options.survey.most_size();
  require_memory(multiply_bytes(copies_of_a_message, static_cast<Bytes>(largest)),
                 fmt::format("a pair with messages of {} bytes", largest),
                 options.survey.sizes.empty() ? "take a smaller --max-bytes" : "take smaller --sizes",
                 sources);
  if (options.has_collectives && ranks > 2)
    require_memory(multiply_bytes(blocks_a_partner * static_cast<Bytes>(ranks),
                                  static_cast<Bytes>(options.collectives.max_bytes)),
                   fmt::format("a collective call of {} ranks with blocks of {} bytes", ranks,
                               options.collectives.max_bytes),
                   "take a smaller --max-bytes, or --collectives none", sources);
  if (!options.kernel_size) return;
  const auto size = static_cast<Bytes>(*options.kernel_size);
  require_memory(matrices * size * size * sizeof(double), fmt::format("a product of {0} x {0}", size),
                 "take a smaller --kernel-size", sources);
}

}  // namespace loadshare::tool
