#pragma once

#include <optional>
#include <span>

#include "apps/common/matrix/product.hpp"
#include "apps/matmul/kernel.hpp"
#include "runtime/farm/workload.hpp"

namespace loadshare::matmul {

/// C = A B as a farm's workload. Its iterations are the columns of B; the shared input is A, in panels that
/// are prepared in place during the run. B and C are empty on hosts other than the master's.
template <class T>
class MatmulWorkload final : public Workload {
 public:
  /// Every chunk is computed `work` times. Computing column `fail_column` fails.
  MatmulWorkload(const ProductShape& shape, const ProductMatrices<T>& matrices, const Kernel<T>& kernel,
                 Index work, std::optional<Index> fail_column = {});

  Index iterations() const override { return shape_.columns; }
  std::string_view iteration_name() const override { return "columns"; }

  std::size_t input_bytes(Chunk chunk) const override;
  std::size_t output_bytes(Chunk chunk) const override;
  std::span<const std::byte> input(Chunk chunk) const override;
  std::span<std::byte> output(Chunk chunk) override;

  std::span<std::byte> shared_input() override { return std::as_writable_bytes(matrices_.a); }
  std::size_t shared_piece_bytes() const override;
  void prepare_shared(std::size_t panel, std::span<std::byte> bytes) override;

  bool is_repeatable() const override { return true; }
  void compute(Work& work) override;
  std::string way() const override;
  Index iterations_at_once() const override { return kernel_.columns_at_once(); }
  void compute_together(std::span<Work> works) override;

 private:
  ProductShape shape_;
  ProductMatrices<T> matrices_;
  const Kernel<T>& kernel_;
  Index work_;
  std::optional<Index> fail_column_;
};

/// The panels of a finished run's A, if all of them are prepared.
template <class T>
class PreparedPanels final : public PanelSource<T> {
 public:
  PreparedPanels(const ProductShape& shape, std::span<const T> a) : shape_(shape), a_(a) {}
  Index rows() const override { return shape_.rows; }
  Index inner() const override { return shape_.inner; }
  const T* panel(Index index) override { return a_.data() + index * panel_rows * shape_.inner; }

 private:
  ProductShape shape_;
  std::span<const T> a_;
};

}  // namespace loadshare::matmul
