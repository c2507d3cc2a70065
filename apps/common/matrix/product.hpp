#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "apps/common/matrix/operands.hpp"
#include "apps/common/matrix/sizes.hpp"
#include "program/farm_job.hpp"

namespace loadshare {

// What `matmul` and `matvec` share: products C = A B in a farm, from the command line to the file of C. Of a
// product by a vector, B and C have one column.

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

/// The matrices as a rank sees them.
template <class T>
struct ProductMatrices {
  std::span<T> a;  ///< row-major
  std::span<T> b;  ///< column-major
  std::span<T> c;  ///< column-major
};

/// What is asked for.
struct ProductOptions {
  std::string a_file, b_file, c_file;         ///< empty: A and B are random, C is not kept
  std::optional<Index> size;                  ///< of random matrices, as all that follows
  std::optional<Index> rows, inner, columns;  ///< where they differ from `size`
  ElementType type = ElementType::float64;
  Index seed = 1;
};

/// What a program's products are.
struct ProductKind {
  const char* app;
  const char* iteration_name;
  Index usual_size;          ///< where nobody says another
  const char* b;             ///< its option
  const char* c;             ///< ditto
  const char* operands;      ///< "both matrices"
  const char* operands_are;  ///< "the matrices are"
  const char* size_options;  ///< "--size and --rows"
  const char* advice;        ///< where memory is short
  bool has_vector;           ///< B is one: a vector in its file, or a matrix of one column
  /// Throws UsageError where A B does not exist.
  void (*check)(const NpyFile& a, const NpyFile& b);
  /// "the product of a 3 x 4 and a 4 x 5 matrix"
  std::string (*text)(const ProductShape& shape);
};

/// --size, and an option for one dimension.
void add_size(const OptionGroup& group, const ProductKind& kind, ProductOptions& options, const char* text);
void add_dimension(const OptionGroup& group, const char* name, std::optional<Index>& place, const char* text);

/// Throws UsageError on options that do not go together, or that name a file twice (C may replace A or B).
void check_options(const ProductKind& kind, const ProductOptions& options, const ReportOptions& reports);

/// The shape of random matrices: a dimension's own option goes before --size, and that before the usual one.
ProductShape random_shape(const ProductKind& kind, const ProductOptions& options);

/// One product on one rank: its shape is known everywhere, what it is made of on the master.
class ProductJob {
 public:
  /// Opens the files. Throws UsageError, on every rank, where they are not there, are no matrices, do not fit
  /// together or into memory, or where `check` throws.
  ProductJob(const RunOptions& run, const ProductKind& kind, const ProductOptions& options,
             const std::function<void(const ProductShape&)>& check);

  const ProductShape& shape() const { return shape_; }
  Farm& farm() { return job_.farm(); }

  /// Fills A and B, runs, verifies, stores C, tells. Throws Error; a wrong product is Error(run_failed),
  /// after its record was told. `steps` has what they do beyond that.
  template <class T>
  void run(const ProductMatrices<T>& matrices, Workload& workload, ResultSteps steps);

  /// Rows of A as they were given, row-major: rows * inner values at `out`. On the master only.
  template <class T>
  void copy_a(Index first, Index rows, T* out) const;

 private:
  ProductShape open_inputs();
  void open_output();
  template <class T>
  void fill(const ProductMatrices<T>& matrices) const;
  void describe(RunRecord& record) const;

  const ProductKind& kind_;
  const ProductOptions& options_;
  FarmJob job_;
  ProductShape shape_;
  std::optional<NpyFile> a_, b_;
  std::optional<NpyOutput> output_;
};

}  // namespace loadshare
