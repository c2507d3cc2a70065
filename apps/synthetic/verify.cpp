#include "apps/synthetic/verify.hpp"

#include <vector>

#include "apps/synthetic/pattern.hpp"

namespace loadshare::synthetic {
namespace {

std::uint64_t sample(const LoopSizes& sizes, std::span<const std::byte> shared, Index iteration) {
  if (shared.empty()) return 0;
  return shared_sample(shared, sample_offset(sizes.seed, iteration, shared.size()));
}

}  // namespace

LoopCheck verify(const LoopSizes& sizes, const LoopMemory& memory) {
  LoopCheck check{.iterations = sizes.iterations};
  std::vector<std::byte> input(sizes.input_bytes);
  for (Index i = 0; i < sizes.iterations; ++i) {
    fill_input(sizes.seed, i, input);
    const ResultSources sources{sizes.seed, i, input, sample(sizes, memory.shared, i)};
    if (!is_result(sources, part_of_chunk(memory.outputs, sizes.output_bytes, {i, 1}))) check.add_wrong(i);
  }
  return check;
}

}  // namespace loadshare::synthetic
