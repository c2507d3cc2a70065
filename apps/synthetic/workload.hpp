#pragma once

#include <cstdint>
#include <span>

#include "apps/common/loop.hpp"
#include "apps/synthetic/costs/cost.hpp"
#include "apps/synthetic/effort.hpp"
#include "runtime/farm/workload.hpp"

namespace loadshare::synthetic {

/// The loop's sizes, and the seed of its data.
struct LoopSizes {
  Index iterations = 0;
  std::size_t input_bytes = 0;   ///< of one iteration
  std::size_t output_bytes = 0;  ///< of one iteration
  std::size_t shared_bytes = 0;  ///< needed on every worker's host before its first chunk
  std::uint64_t seed = 1;
};

/// The loop's data on this rank. Inputs and outputs are empty on hosts other than the master's.
struct LoopMemory {
  std::span<std::byte> inputs;   ///< of all iterations, consecutive
  std::span<std::byte> outputs;  ///< of all iterations, consecutive
  std::span<std::byte> shared;
};

/// A loop without a useful result. Each iteration takes its cost, reads its input and a little of the shared
/// input, and writes a result that can be checked. In addition to its cost that takes about 2.5 us for 5760
/// bytes in each direction, and up to 0.2 us to draw the cost.
class SyntheticWorkload final : public Workload {
 public:
  SyntheticWorkload(const LoopSizes& sizes, const LoopMemory& memory, const Cost& cost, const Effort& effort)
      : sizes_(sizes), memory_(memory), cost_(cost), effort_(effort) {}

  Index iterations() const override { return sizes_.iterations; }

  std::size_t input_bytes(Chunk chunk) const override {
    return static_cast<std::size_t>(chunk.size) * sizes_.input_bytes;
  }
  std::size_t output_bytes(Chunk chunk) const override {
    return static_cast<std::size_t>(chunk.size) * sizes_.output_bytes;
  }
  std::span<const std::byte> input(Chunk chunk) const override {
    return part_of_chunk<const std::byte>(memory_.inputs, sizes_.input_bytes, chunk);
  }
  std::span<std::byte> output(Chunk chunk) override {
    return part_of_chunk(memory_.outputs, sizes_.output_bytes, chunk);
  }
  std::span<std::byte> shared_input() override { return memory_.shared; }

  bool uses_processor() const override { return effort_.uses_processor(); }
  bool is_repeatable() const override { return true; }
  /// Returns the work in seconds of cost.
  double work(Chunk chunk) const override { return cost_of(chunk); }
  void compute(Work& work) override;

 private:
  double cost_of(Chunk chunk) const;
  void wait_for_shared(Work& work) const;
  std::uint64_t sample(Work& work, Index iteration) const;

  LoopSizes sizes_;
  LoopMemory memory_;
  const Cost& cost_;
  const Effort& effort_;
};

}  // namespace loadshare::synthetic
