#pragma once

#include <optional>
#include <span>
#include <vector>

#include "apps/common/matrix/operands.hpp"
#include "apps/common/matrix/sizes.hpp"
#include "apps/matvec/options.hpp"
#include "runtime/farm/workload.hpp"

namespace loadshare::matvec {

/// The sizes of a product: A is rows x columns, x has `columns` elements, y `rows`.
struct ProductShape {
  Index rows = 0;
  Index columns = 0;
  ElementType type = ElementType::float64;

  double operations() const { return 2.0 * static_cast<double>(rows) * static_cast<double>(columns); }
  Bytes matrix() const { return matrix_bytes(rows, columns, type); }
  Bytes bytes() const {
    return add_bytes(matrix(), add_bytes(matrix_bytes(columns, 1, type), matrix_bytes(rows, 1, type)));
  }
};

/// The operands as this rank sees them; A and y are empty away from the master's host.
template <class T>
struct Operands {
  std::span<T> a;  ///< row-major
  std::span<T> x;
  std::span<T> y;
};

/// y = A x as a farm's workload: its iterations are the rows of A, the shared input is x.
///
/// Each element of A is used once, so this loop is bound by memory on the master's host and by the wire
/// everywhere else: a row costs more to send than to compute. That is why the granularity paper has it among
/// its applications, as the one with little to gain from more hosts. To repeat the computing moves the
/// balance.
template <class T>
class MatvecWorkload final : public Workload {
 public:
  /// Every chunk is computed `repeat` times over.
  MatvecWorkload(const ProductShape& shape, const Operands<T>& operands, Index repeat)
      : shape_(shape), operands_(operands), repeat_(repeat) {}

  Index iterations() const override { return shape_.rows; }
  std::string_view iteration_name() const override { return "rows"; }

  std::size_t input_bytes(Chunk chunk) const override {
    return static_cast<std::size_t>(chunk.size * shape_.columns) * sizeof(T);
  }
  std::size_t output_bytes(Chunk chunk) const override {
    return static_cast<std::size_t>(chunk.size) * sizeof(T);
  }
  std::span<const std::byte> input(Chunk chunk) const override;
  std::span<std::byte> output(Chunk chunk) override;
  bool is_host_shared() const override { return true; }

  std::span<std::byte> shared_input() override { return std::as_writable_bytes(operands_.x); }
  /// Short enough that x stays in a core's cache while the rows of a chunk go past it.
  std::size_t shared_piece_bytes() const override { return piece_elements * sizeof(T); }

  void compute(Work& work) override;

 private:
  static constexpr std::size_t piece_elements = std::size_t{1} << 15;

  void add_piece(std::size_t piece, Work& work, std::vector<double>& sums) const;

  ProductShape shape_;
  Operands<T> operands_;
  Index repeat_;
};

/// Where matrix and vector come from, on the master: two .npy files, or a seed.
class Inputs {
 public:
  /// Opens the files; throws UsageError where they are not there, are no matrix and vector, or do not fit
  /// together.
  explicit Inputs(const MatvecOptions& options);

  const ProductShape& shape() const { return shape_; }
  /// What y is in a file: it has as many dimensions as x.
  NpyHeader result_form() const;
  template <class T>
  void fill(const Operands<T>& operands) const;

 private:
  std::optional<NpyFile> a_, x_;
  std::uint64_t seed_;
  ProductShape shape_;
};

}  // namespace loadshare::matvec
