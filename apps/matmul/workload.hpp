#pragma once

#include <optional>
#include <span>

#include "apps/common/matrix/operands.hpp"
#include "apps/common/matrix/sizes.hpp"
#include "apps/matmul/kernel.hpp"
#include "apps/matmul/options.hpp"
#include "runtime/farm/workload.hpp"

namespace loadshare::matmul {

/// The sizes of a product: A is rows x inner, B inner x columns, C rows x columns.
struct ProductShape {
  Index rows = 0;
  Index inner = 0;
  Index columns = 0;
  ElementType type = ElementType::float64;

  double operations() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(columns);
  }
};

/// The matrices as this rank sees them; B and C are empty away from the master's host.
template <class T>
struct Matrices {
  std::span<T> a;  ///< row-major panels, prepared in place as the run goes
  std::span<T> b;  ///< column-major, inner x columns
  std::span<T> c;  ///< column-major, rows x columns
};

/// C = A B as a farm's workload: its iterations are the columns of B, the shared input is A.
template <class T>
class MatmulWorkload final : public Workload {
 public:
  /// Every chunk is computed `work` times over; `fail_column` cannot be.
  MatmulWorkload(const ProductShape& shape, const Matrices<T>& matrices, const Kernel<T>& kernel, Index work,
                 std::optional<Index> fail_column = {});

  Index iterations() const override { return shape_.columns; }
  std::string_view iteration_name() const override { return "columns"; }

  std::size_t input_bytes(Chunk chunk) const override;
  std::size_t output_bytes(Chunk chunk) const override;
  std::span<const std::byte> input(Chunk chunk) const override;
  std::span<std::byte> output(Chunk chunk) override;
  bool is_host_shared() const override { return true; }

  std::span<std::byte> shared_input() override { return std::as_writable_bytes(matrices_.a); }
  std::size_t shared_piece_bytes() const override;
  void prepare_shared(std::size_t panel, std::span<std::byte> bytes) override;

  void compute(Work& work) override;

 private:
  ProductShape shape_;
  Matrices<T> matrices_;
  const Kernel<T>& kernel_;
  Index work_;
  std::optional<Index> fail_column_;
};

/// The panels of a finished run's A, where all of them are prepared.
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

/// Where the matrices come from, on the master: two .npy files, or a seed.
class Inputs {
 public:
  /// Opens the files; throws UsageError where they are not there, not matrices, or do not fit together.
  explicit Inputs(const MatmulOptions& options);

  const ProductShape& shape() const { return shape_; }
  /// Fills A (row-major) and B (column-major).
  template <class T>
  void fill(const Matrices<T>& matrices) const;

 private:
  std::optional<NpyFile> a_, b_;
  std::uint64_t seed_;
  ProductShape shape_;
};

}  // namespace loadshare::matmul
