#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "apps/common/application.hpp"
#include "apps/common/loop.hpp"
#include "apps/common/matrix/operands.hpp"
#include "apps/common/matrix/sizes.hpp"

namespace loadshare {

// Common parts of `matmul` and `matvec`: products C = A B in a farm, from the command line to the file of C.
// In a product by a vector, B and C have one column.

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

/// The matrices on one rank.
template <class T>
struct ProductMatrices {
  std::span<T> a;  ///< row-major
  std::span<T> b;  ///< column-major
  std::span<T> c;  ///< column-major
};

/// Options of a product.
struct ProductOptions {
  std::string a_file, b_file, c_file;         ///< empty: A and B are random, C is not stored
  std::optional<Index> size;                  ///< of random matrices, as are the next three
  std::optional<Index> rows, inner, columns;  ///< if they differ from `size`
  ElementType type = ElementType::float64;
  Index seed = 1;
};

/// The kind of product that a program computes.
struct ProductKind {
  const char* app;
  const char* iteration_name;
  Index usual_size;          ///< default size
  const char* b;             ///< option of B
  const char* c;             ///< option of C
  const char* operands;      ///< "both matrices"
  const char* operands_are;  ///< "the matrices are"
  const char* size_options;  ///< "--size and --rows"
  const char* advice;        ///< advice if memory is insufficient
  bool has_vector;           ///< B is a vector in its file, or a matrix of one column
  /// Throws UsageError if A B does not exist.
  void (*check)(const NpyFile& a, const NpyFile& b);
  /// Returns "the product of a 3 x 4 and a 4 x 5 matrix".
  std::string (*text)(const ProductShape& shape);
};

/// Adds --size, and an option for each dimension.
void add_size(const OptionGroup& group, const ProductKind& kind, ProductOptions& options, const char* text);
void add_dimension(const OptionGroup& group, const char* name, std::optional<Index>& place, const char* text);

/// Throws UsageError for options that exclude each other, or that name a file twice.
void check_options(const ProductKind& kind, const ProductOptions& options, const RunOptions& run);

/// Returns the shape of random matrices. A dimension's own option precedes --size, which precedes the
/// default.
ProductShape random_shape(const ProductKind& kind, const ProductOptions& options);

class ProductJob;

/// One product on one rank, for any element type. Only `workload` is called on ranks other than the master.
class Product {
 public:
  virtual ~Product() = default;
  virtual Workload& workload() = 0;
  virtual void fill() = 0;       ///< fills A and B
  virtual Verdict verify() = 0;  ///< reports where C is wrong
  virtual void tell(RunRecord& record) const = 0;
  virtual void store(NpyOutput& output) const = 0;  ///< stores C
};

/// A product with elements of type T, in the farm's memory.
template <class T>
class ProductOf : public Product {
 public:
  ProductOf(const ProductJob& job, const ProductMatrices<T>& matrices) : job_(job), matrices_(matrices) {}
  void fill() final;
  void store(NpyOutput& output) const final {
    output.store_column_major(static_cast<const T*>(matrices_.c.data()));
  }

 protected:
  const ProductJob& job() const { return job_; }
  const ProductMatrices<T>& matrices() const { return matrices_; }

 private:
  const ProductJob& job_;
  ProductMatrices<T> matrices_;
};

/// The job of a product. Every rank knows its shape; only the master knows the source of its matrices.
class ProductJob : public Job {
 public:
  ProductJob(const ProductKind& kind, const ProductOptions& options) : kind_(kind), options_(options) {}

  std::string application() const final { return kind_.app; }
  std::string_view iteration_name() const final { return kind_.iteration_name; }
  std::string result_name() const final { return "the product"; }
  std::string result_file() const final { return options_.c_file; }

  /// Opens the files. Throws UsageError if they do not exist, are not matrices, do not match or do not fit
  /// into memory, or if `check` throws.
  void describe(JobDescription& description) final;
  Workload& make(const JobDescription& description, Farm& farm) final;
  void fill() final { product_->fill(); }
  Verdict verify() final { return product_->verify(); }
  void tell(RunRecord& record) const final;
  void store() final;

  const ProductShape& shape() const { return shape_; }
  /// Copies rows of the original A, row-major: rows * inner values to `out`. On the master only.
  template <class T>
  void copy_a(Index first, Index rows, T* out) const;
  /// Copies all of B, column-major. On the master only.
  template <class T>
  void copy_b(T* out) const;

 protected:
  virtual void check(const ProductShape& shape) const = 0;
  /// Adds the data that `make_product` needs in addition to the shape.
  virtual void describe_rest(JobDescription& description) const = 0;
  virtual std::unique_ptr<Product> make_product(const JobDescription& description, Farm& farm) = 0;

 private:
  ProductShape open_inputs();
  void open_output();

  const ProductKind& kind_;
  const ProductOptions& options_;
  ProductShape shape_;
  std::optional<NpyFile> a_, b_;
  std::optional<NpyOutput> output_;
  std::unique_ptr<Product> product_;
};

template <class T>
void ProductOf<T>::fill() {
  job_.copy_a(0, job_.shape().rows, matrices_.a.data());
  job_.copy_b(matrices_.b.data());
}

}  // namespace loadshare
