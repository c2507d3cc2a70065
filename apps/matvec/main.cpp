#include <fmt/format.h>

#include <cmath>

#include "apps/common/matrix/product.hpp"
#include "apps/matvec/verify.hpp"
#include "apps/matvec/workload.hpp"

namespace loadshare::matvec {
namespace {

constexpr Index most_repeats = 1'000'000'000;

[[noreturn]] void refuse(const NpyFile& a, const NpyFile& x, const std::string& why,
                         std::string_view suggestion) {
  throw UsageError(fmt::format("cannot multiply {} by {}", a.path(), x.path()), why, suggestion);
}

void check_operands(const NpyFile& a, const NpyFile& x) {
  if (x.cols() != 1)
    refuse(a, x, fmt::format("{} is {}, not one column", x.path(), shape_text(x.rows(), x.cols())),
           x.rows() == 1 ? "save it as x.ravel()" : "matmul multiplies matrices");
  if (a.type() != x.type())
    refuse(a, x, fmt::format("one is {}, the other {}", name_of(a.type()), name_of(x.type())),
           "convert one of them with astype");
  if (a.cols() != x.rows())
    refuse(a, x, fmt::format("the matrix has {} columns, the vector {} elements", a.cols(), x.rows()),
           a.rows() == x.rows() ? "the matrix would fit transposed" : "");
}

const ProductKind kind{.app = "matvec",
                       .iteration_name = "rows",
                       .usual_size = 4096,  // larger than any cache
                       .b = "--x",
                       .c = "--y",
                       .operands = "matrix and vector",
                       .operands_are = "the matrix is",
                       .size_options = "--size, --rows and --cols",
                       .advice = "use a smaller matrix, float32, or a host with more memory",
                       .has_vector = true,
                       .check = check_operands,
                       .text = [](const ProductShape& shape) {
                         return fmt::format("the product of a {} matrix and a vector",
                                            shape_text(shape.rows, shape.inner));
                       }};

enum class Verification { none, full };
constexpr Choices<Verification, 2> verifications{
    {{"full", Verification::full}, {"none", Verification::none}}};

/// Options of `matvec`.
struct MatvecOptions {
  ProductOptions product;
  Index repeat = 1;  ///< number of times each chunk is computed
  Verification verification = Verification::full;
  std::optional<Index> spoil;  ///< for testing: row of y that is spoiled before verification
};

void add_operands(const OptionGroup& group, ProductOptions& product) {
  group.add("--a", product.a_file, "FILE.npy", "the matrix, float64 or float32, C or Fortran order");
  group.add("--x", product.b_file, "FILE.npy", "the vector, or a matrix of one column");
  group.add("--y", product.c_file, "FILE.npy", "file for the product, with as many dimensions as x");
  add_size(group, kind, product, "without files: a random square matrix");
  add_dimension(group, "--rows", product.rows, "without files: rows, if not as --size");
  add_dimension(group, "--cols", product.inner, "without files: columns, if not as --size");
  group.add("--type", product.type, element_types, "TYPE", "without files: float64 or float32");
  group.add("--seed", product.seed, whole(0), "N", "random seed of the matrix and the vector");
}

void declare(CommandLineParser& parser, MatvecOptions& options, RunOptions& run) {
  add_operands(parser.group("Matrix and vector"), options.product);
  const OptionGroup computing = parser.group("Computing");
  computing.add("--repeat", options.repeat, whole(1, most_repeats), "N",
                "compute every chunk N times, to imitate a slower machine");
  computing.add("--verify", options.verification, verifications, "HOW",
                "full (every element, summed in another order), none");
  add_run_options(parser, run);
  parser.group(testing_group)
      .add("--spoil", options.spoil, whole(0), "ROW",
           "spoil this row of the product, to see verification find it");
  parser.check([&] { check_options(kind, options.product, run); });
}

void require_row(std::optional<Index> row, Index rows) {
  if (row && *row >= rows)
    throw UsageError(fmt::format("--spoil is {}", *row),
                     fmt::format("the product has {} rows, from 0", rows));
}

template <class T>
ProductMatrices<T> take_operands(const ProductShape& shape, Farm& farm) {
  return {farm.resident<T>(static_cast<std::size_t>(shape.rows * shape.inner)),
          farm.replicated<T>(static_cast<std::size_t>(shape.inner)),
          farm.resident<T>(static_cast<std::size_t>(shape.rows))};
}

/// One product of elements of T, on one rank.
template <class T>
class Matvec final : public ProductOf<T> {
 public:
  /// Only the master uses `options`.
  Matvec(const ProductJob& job, const JobDescription& description, const MatvecOptions& options, Farm& farm)
      : ProductOf<T>(job, take_operands<T>(job.shape(), farm)),
        options_(options),
        shape_(job.shape()),
        workload_(shape_, this->matrices(), description.whole("repeat")) {}

  Workload& workload() override { return workload_; }

  Verdict verify() override {
    if (options_.spoil) {
      T& element = this->matrices().c[static_cast<std::size_t>(*options_.spoil)];
      element = std::isfinite(element) ? element + T(1) : T(0);
    }
    if (options_.verification == Verification::none) return {};
    return verdict_of(matvec::verify(shape_, this->matrices()));
  }

  void tell(RunRecord& record) const override {
    record.operations = shape_.operations() * static_cast<double>(options_.repeat);
    auto& recorded = record.options;
    recorded["cols"] = shape_.inner;
    recorded["repeat"] = options_.repeat;
    recorded["verify"] = name_among(verifications, options_.verification);
    record_rate(record);
  }

 private:
  /// Records the memory rate, which limits this loop.
  void record_rate(RunRecord& record) const {
    const double bytes = static_cast<double>(matrix_bytes(shape_.rows, shape_.inner, shape_.type)) *
                         static_cast<double>(options_.repeat);
    if (record.makespan_s > 0 && bytes > 0)
      record.notes.push_back(fmt::format("together, the workers read the matrix at {:.3g} GB/s",
                                         bytes / record.makespan_s * 1e-9));
  }

  const MatvecOptions& options_;
  const ProductShape& shape_;
  MatvecWorkload<T> workload_;
};

class MatvecJob final : public ProductJob {
 public:
  explicit MatvecJob(const MatvecOptions& options) : ProductJob(kind, options.product), options_(options) {}

 protected:
  void check(const ProductShape& shape) const override { require_row(options_.spoil, shape.rows); }
  void describe_rest(JobDescription& description) const override {
    description.set("repeat", options_.repeat);
  }
  std::unique_ptr<Product> make_product(const JobDescription& description, Farm& farm) override {
    if (shape().type == ElementType::float64)
      return std::make_unique<Matvec<double>>(*this, description, options_, farm);
    return std::make_unique<Matvec<float>>(*this, description, options_, farm);
  }

 private:
  const MatvecOptions& options_;
};

}  // namespace
}  // namespace loadshare::matvec

int main(int argc, char** argv) {
  using namespace loadshare::matvec;
  return loadshare::run_job<MatvecJob>(
      argc, argv,
      {.name = "matvec",
       .purpose = "Multiply a matrix by a vector, the matrix's rows shared among workers.",
       .example = "matvec --size 8192 --scheduler factoring"},
      declare);
}
