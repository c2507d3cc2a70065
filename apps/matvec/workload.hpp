#pragma once

#include <span>
#include <vector>

#include "apps/common/matrix/product.hpp"
#include "runtime/farm/workload.hpp"

namespace loadshare::matvec {

/// y = A x as a farm's workload. Its iterations are the rows of A, the shared input is x (as B). A and y (as
/// C) are empty on hosts other than the master's.
///
/// Each element of A is used once, so this loop is limited by memory on the master's host and by the network
/// on all others: a row takes longer to send than to compute. The granularity paper includes it as an
/// application that gains little from more hosts. Repeating the computation changes this ratio.
template <class T>
class MatvecWorkload final : public Workload {
 public:
  /// Every chunk is computed `repeat` times.
  MatvecWorkload(const ProductShape& shape, const ProductMatrices<T>& operands, Index repeat)
      : shape_(shape), operands_(operands), repeat_(repeat) {}

  Index iterations() const override { return shape_.rows; }
  std::string_view iteration_name() const override { return "rows"; }

  std::size_t input_bytes(Chunk chunk) const override {
    return static_cast<std::size_t>(chunk.size * shape_.inner) * sizeof(T);
  }
  std::size_t output_bytes(Chunk chunk) const override {
    return static_cast<std::size_t>(chunk.size) * sizeof(T);
  }
  std::span<const std::byte> input(Chunk chunk) const override;
  std::span<std::byte> output(Chunk chunk) override;

  std::span<std::byte> shared_input() override { return std::as_writable_bytes(operands_.b); }
  /// Short enough that x stays in a core's cache while the rows of a chunk are read.
  std::size_t shared_piece_bytes() const override { return piece_elements * sizeof(T); }

  bool is_repeatable() const override { return true; }
  void compute(Work& work) override;

 private:
  static constexpr std::size_t piece_elements = std::size_t{1} << 15;

  void add_piece(std::size_t piece, Work& work, std::vector<double>& sums) const;

  ProductShape shape_;
  ProductMatrices<T> operands_;
  Index repeat_;
};

}  // namespace loadshare::matvec
