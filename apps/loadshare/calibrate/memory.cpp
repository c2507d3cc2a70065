#include "apps/loadshare/calibrate/memory.hpp"

#include <fmt/format.h>

namespace loadshare::tool {
namespace {

constexpr Bytes copies_of_a_message = 4;  // one at either end, and two in the buffer of buffered sends
constexpr Bytes matrices = 3;

}  // namespace

void require_memory_for(const CalibrateOptions& options, const MemorySources& sources) {
  const Index largest = options.survey.most_size();
  require_memory(multiply_bytes(copies_of_a_message, static_cast<Bytes>(largest)),
                 fmt::format("a pair with messages of {} bytes", largest),
                 options.survey.sizes.empty() ? "take a smaller --max-bytes" : "take smaller --sizes",
                 sources);
  if (!options.kernel_size) return;
  const auto size = static_cast<Bytes>(*options.kernel_size);
  require_memory(matrices * size * size * sizeof(double), fmt::format("a product of {0} x {0}", size),
                 "take a smaller --kernel-size", sources);
}

}  // namespace loadshare::tool
