#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "apps/common/blas/library.hpp"
#include "apps/common/matrix/product.hpp"
#include "apps/matmul/kernels/generated.hpp"
#include "apps/matmul/verify.hpp"
#include "apps/matmul/workload.hpp"

namespace loadshare::matmul {
namespace {

const ProductKind kind{.app = "matmul",
                       .iteration_name = "columns",
                       .usual_size = 720,  // the load-sharing paper's size
                       .b = "--b",
                       .c = "--c",
                       .operands = "both matrices",
                       .operands_are = "the matrices are",
                       .size_options = "--size, --rows, --inner and --cols",
                       .advice = "use smaller matrices, float32, or a host with more memory",
                       .has_vector = false,
                       .check = check_product,
                       .text = [](const ProductShape& shape) {
                         return fmt::format("the product of a {} and a {} matrix",
                                            shape_text(shape.rows, shape.inner),
                                            shape_text(shape.inner, shape.columns));
                       }};

/// With more, no product of any size would end.
constexpr Index most_work = 1'000'000;

enum class Verification { none, freivalds, full };
constexpr Choices<Verification, 3> verifications{
    {{"freivalds", Verification::freivalds}, {"full", Verification::full}, {"none", Verification::none}}};

/// Options of `matmul`.
struct MatmulOptions {
  ProductOptions product;
  std::string kernel = "packed";
  Index work = 1;  ///< number of times each chunk is computed
  Verification verification = Verification::freivalds;
  std::optional<Index> spoil_column;  ///< for testing: column of C that is spoiled before verification
  std::optional<Index> fail_column;   ///< for testing: column whose computation fails
};

void add_matrices(const OptionGroup& group, ProductOptions& product) {
  group.add("--a", product.a_file, "FILE.npy", "the first matrix, float64 or float32, C or Fortran order");
  group.add("--b", product.b_file, "FILE.npy", "the second matrix");
  group.add("--c", product.c_file, "FILE.npy", "file for the product (Fortran order)");
  add_size(group, kind, product, "without files: random square matrices");
  add_dimension(group, "--rows", product.rows, "without files: rows of the first matrix, if not as --size");
  add_dimension(group, "--inner", product.inner, "without files: columns of the first, rows of the second");
  add_dimension(group, "--cols", product.columns, "without files: columns of the second");
  group.add("--type", product.type, element_types, "TYPE", "without files: float64 or float32");
  group.add("--seed", product.seed, whole(0), "N", "random seed of the matrices and of the check");
}

void add_work(const OptionGroup& group, MatmulOptions& options) {
  group.add("--kernel", options.kernel, row_of(kernels(), "kernel"), "NAME",
            table_help("how a chunk is computed:", kernels()));
  group.add("--work", options.work, whole(1, most_work), "N",
            "compute every chunk N times, to imitate a slower machine");
  group.add("--verify", options.verification, verifications, "HOW",
            "freivalds (a random check of every column), full (every element), none");
}

void declare(CommandLineParser& parser, MatmulOptions& options, RunOptions& run) {
  add_matrices(parser.group("Matrices"), options.product);
  add_work(parser.group("Computing"), options);
  add_run_options(parser, run);
  const OptionGroup tests = parser.group(testing_group);
  tests.add("--spoil", options.spoil_column, whole(0), "COLUMN",
            "spoil this column of the product, to see verification find it");
  tests.add("--fail-at", options.fail_column, whole(0), "COLUMN", "fail when this column is to be computed");
  parser.check([&] {
    check_options(kind, options.product, run);
    blas::use_one_thread();  // before any thread starts
  });
}

void require_column(const char* option, std::optional<Index> column, Index columns) {
  if (column && *column >= columns)
    throw UsageError(fmt::format("{} is {}", option, *column),
                     fmt::format("the product has {} columns, from 0", columns));
}

std::size_t elements(Index rows, Index columns) {
  return static_cast<std::size_t>(rows * columns);
}

template <class T>
ProductMatrices<T> take_matrices(const ProductShape& shape, Farm& farm) {
  return {farm.replicated<T>(elements(shape.rows, shape.inner)),
          farm.resident<T>(elements(shape.inner, shape.columns)),
          farm.resident<T>(elements(shape.rows, shape.columns))};
}

/// One product of matrices of T, on one rank.
template <class T>
class Matmul final : public ProductOf<T> {
 public:
  /// Only the master uses `options`.
  Matmul(const ProductJob& job, const JobDescription& description, const MatmulOptions& options, Farm& farm)
      : ProductOf<T>(job, take_matrices<T>(job.shape(), farm)),
        options_(options),
        shape_(job.shape()),
        kernel_(make_kernel<T>(description.text("kernel"), shape_.rows, shape_.inner)),
        workload_(shape_, this->matrices(), *kernel_, description.whole("work"),
                  description.whole_if_set("fail_at")) {}

  Workload& workload() override { return workload_; }

  Verdict verify() override {
    if (options_.spoil_column && shape_.rows > 0) spoil(*options_.spoil_column);
    if (options_.verification == Verification::none) return {};
    PreparedPanels<T> a(shape_, this->matrices().a);
    if (!rows_packed_wrong(a).empty()) pack_unused_panels();
    if (const auto rows = rows_packed_wrong(a); !rows.empty())
      return {false, describe_wrongly_prepared(rows, shape_.rows), judged_by()};
    const Computed<T> product{*kernel_, a, this->matrices().b.data(), this->matrices().c.data(),
                              shape_.columns};
    const Reference reference = options_.kernel == "blas" ? Reference::loops : Reference::blas;
    const ProductCheck check =
        options_.verification == Verification::freivalds
            ? verify_freivalds(product, static_cast<std::uint64_t>(options_.product.seed), reference)
            : verify_full(product, reference);
    return {check.is_right(), describe_wrong(check), judged_by()};
  }

  void tell(RunRecord& record) const override {
    record.operations = shape_.operations() * static_cast<double>(options_.work);
    record.versions["blas"] = blas::openblas().library.description();
    if (options_.kernel == "packed") record.versions["libxsmm"] = generated_code_version();
    auto& recorded = record.options;
    recorded["inner"] = shape_.inner;
    recorded["cols"] = shape_.columns;
    recorded["kernel"] = options_.kernel;
    recorded["work"] = options_.work;
    recorded["verify"] = name_among(verifications, options_.verification);
    recorded["blas_threads"] = static_cast<Index>(blas::openblas().library.threads());
    if (const std::string blocks = kernel_->blocks(); !blocks.empty())
      record.findings.push_back({"blocks", blocks, "blocks", blocks});
    if (!kernel_->note().empty()) record.notes.push_back(kernel_->note());
  }

 private:
  std::string judged_by() const {
    return fmt::format(", according to the {} check", name_among(verifications, options_.verification));
  }

  std::vector<Chunk> rows_packed_wrong(PreparedPanels<T>& a) const {
    if (shape_.columns == 0) return {};  // no worker needed A, so it is not packed
    return wrongly_prepared_rows<T>(
        *kernel_, a, [&](Index first, Index rows, T* out) { this->job().copy_a(first, rows, out); });
  }

  /// Packs panels of A that no worker has packed, because none of the remaining columns could be computed:
  /// the check needs them. A panel that packing does not change stays as it is.
  void pack_unused_panels() {
    std::vector<T> given(elements(panel_rows, shape_.inner));
    for (Index first = 0; first < shape_.rows; first += panel_rows) {
      const Index rows = std::min(panel_rows, shape_.rows - first);
      T* const panel = this->matrices().a.data() + elements(first, shape_.inner);
      this->job().copy_a(first, rows, given.data());
      const std::size_t bytes = elements(rows, shape_.inner) * sizeof(T);
      if (std::memcmp(panel, given.data(), bytes) == 0) kernel_->prepare(panel, rows, shape_.inner);
    }
  }

  void spoil(Index column) {
    T& element = this->matrices().c[elements(column, shape_.rows)];
    element = std::isfinite(element) ? element + T(1) : T(0);
  }

  const MatmulOptions& options_;
  const ProductShape& shape_;
  std::unique_ptr<Kernel<T>> kernel_;
  MatmulWorkload<T> workload_;
};

class MatmulJob final : public ProductJob {
 public:
  explicit MatmulJob(const MatmulOptions& options) : ProductJob(kind, options.product), options_(options) {}

 protected:
  void check(const ProductShape& shape) const override {
    require_column("--spoil", options_.spoil_column, shape.columns);
    require_column("--fail-at", options_.fail_column, shape.columns);
  }
  void describe_rest(JobDescription& description) const override {
    description.set("kernel", options_.kernel);
    description.set("work", options_.work);
    description.set("fail_at", options_.fail_column);
  }
  std::unique_ptr<Product> make_product(const JobDescription& description, Farm& farm) override {
    if (shape().type == ElementType::float64)
      return std::make_unique<Matmul<double>>(*this, description, options_, farm);
    return std::make_unique<Matmul<float>>(*this, description, options_, farm);
  }

 private:
  const MatmulOptions& options_;
};

}  // namespace
}  // namespace loadshare::matmul

int main(int argc, char** argv) {
  using namespace loadshare::matmul;
  return loadshare::run_job<MatmulJob>(
      argc, argv,
      {.name = "matmul",
       .purpose = "Multiply two matrices, their columns shared among workers.",
       .example = "matmul --size 4096 --scheduler gss:14"},
      declare);
}
