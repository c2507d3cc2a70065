#include "apps/synthetic/verify.hpp"

#include <fmt/format.h>

#include <vector>

#include "apps/synthetic/pattern.hpp"

namespace loadshare::synthetic {
namespace {

std::uint64_t sample(const LoopSizes& sizes, std::span<const std::byte> shared, Index iteration) {
  if (shared.empty()) return 0;
  return shared_sample(shared, sample_offset(sizes.seed, iteration, shared.size()));
}

}  // namespace

std::string describe_wrong(const Verdict& verdict) {
  if (verdict.wrong == 1)
    return fmt::format("iteration {} (1 of {})", verdict.first_wrong, verdict.iterations);
  return fmt::format("{} of {} iterations, the first of them {}", verdict.wrong, verdict.iterations,
                     verdict.first_wrong);
}

Verdict verify(const LoopSizes& sizes, const LoopMemory& memory) {
  Verdict verdict{.iterations = sizes.iterations};
  std::vector<std::byte> input(sizes.input_bytes);
  for (Index i = 0; i < sizes.iterations; ++i) {
    fill_input(sizes.seed, i, input);
    const ResultSources sources{sizes.seed, i, input, sample(sizes, memory.shared, i)};
    if (is_result(sources, part(memory.outputs, sizes.output_bytes, {i, 1}))) continue;
    if (verdict.wrong++ == 0) verdict.first_wrong = i;
  }
  return verdict;
}

}  // namespace loadshare::synthetic
