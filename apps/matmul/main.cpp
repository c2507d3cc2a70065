#include <fmt/format.h>

#include <limits>
#include <sstream>

#include "apps/common/matrix/operands.hpp"
#include "apps/matmul/kernels/blas_calls.hpp"
#include "apps/matmul/kernels/generated.hpp"
#include "apps/matmul/options.hpp"
#include "apps/matmul/verify.hpp"
#include "apps/matmul/workload.hpp"
#include "program/farm_job.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare::matmul {
namespace {

void require_column(const char* option, std::optional<Index> column, Index columns) {
  if (column && *column >= columns)
    throw UsageError(fmt::format("{} is {}", option, *column),
                     fmt::format("the product has {} columns, from 0", columns));
}

/// What only the master has: the inputs, and whom it will tell. All that can be wrong with them is found
/// before any rank has taken memory.
struct MasterSide {
  explicit MasterSide(const MatmulOptions& options)
      : inputs(options), report(options.run, "matmul", "columns") {
    const ProductShape& shape = inputs.shape();
    const Bytes bytes = product_bytes(shape.rows, shape.inner, shape.columns, shape.type);
    const std::string what =
        fmt::format("the product of a {} and a {} matrix", shape_text(shape.rows, shape.inner),
                    shape_text(shape.inner, shape.columns));
    require_column("--spoil", options.spoil_column, shape.columns);
    require_column("--fail-at", options.fail_column, shape.columns);
    require_farm_memory(bytes, what, "take smaller matrices, float32, or a host with more memory");
    if (!options.c_file.empty()) output.emplace(options.c_file, shape.type, shape.rows, shape.columns);
  }

  Inputs inputs;
  RunReport report;
  std::optional<NpyOutput> output;
};

std::string encode(const ProductShape& shape) {
  return fmt::format("{} {} {} {}", shape.rows, shape.inner, shape.columns, static_cast<int>(shape.type));
}

ProductShape decode_shape(const std::string& text) {
  std::istringstream in(text);
  ProductShape shape;
  int type = 0;
  in >> shape.rows >> shape.inner >> shape.columns >> type;
  shape.type = static_cast<ElementType>(type);
  return shape;
}

/// One product of matrices of T, on one rank.
template <class T>
class Job {
 public:
  Job(Farm& farm, const MatmulOptions& options, const ProductShape& shape, MasterSide* master)
      : farm_(farm),
        options_(options),
        shape_(shape),
        master_(master),
        job_(farm, master == nullptr ? nullptr : &master->report, *options.run.forecast),
        kernel_(make_kernel<T>(options.kernel, shape.rows, shape.inner)),
        matrices_{farm.replicated<T>(count(shape.rows, shape.inner)),
                  farm.resident<T>(count(shape.inner, shape.columns)),
                  farm.resident<T>(count(shape.rows, shape.columns))} {
    use_one_blas_thread();
  }

  void run() {
    farm_.on_master([&] { master_->inputs.fill(matrices_); });
    MatmulWorkload<T> workload(shape_, matrices_, *kernel_, options_.work, options_.fail_column);
    RunRecord record = job_.run(workload);
    farm_.on_master([&] { finish(record); });
  }

 private:
  static std::size_t count(Index rows, Index columns) { return static_cast<std::size_t>(rows * columns); }

  void finish(RunRecord& record) {
    const std::optional<Verdict> verdict = verify();
    job_.require_uninterrupted("after the product was computed");
    complete(record, verdict);
    const bool is_right = !verdict || verdict->is_right();
    if (is_right) store();
    master_->report.tell(record);
    if (!is_right)
      throw Error(ExitCode::run_failed,
                  fmt::format("the product is wrong in {}, says the {} check", describe_wrong(*verdict),
                              verdict->method),
                  options_.c_file.empty() ? "" : options_.c_file + " was not written");
  }

  std::optional<Verdict> verify() {
    if (options_.spoil_column && shape_.rows > 0)
      matrices_.c[static_cast<std::size_t>(*options_.spoil_column * shape_.rows)] += T(1);
    if (options_.verification == Verification::none) return std::nullopt;
    PreparedPanels<T> a(shape_, matrices_.a);
    const Computed<T> product{*kernel_, a, matrices_.b.data(), matrices_.c.data(), shape_.columns};
    if (options_.verification == Verification::freivalds)
      return verify_freivalds(product, static_cast<std::uint64_t>(options_.seed));
    return verify_full(product, options_.kernel == "blas" ? Reference::loops : Reference::blas);
  }

  void store() {
    if (!master_->output) return;
    master_->output->store_column_major(static_cast<const T*>(matrices_.c.data()));
    master_->output->commit();
  }

  void complete(RunRecord& record, const std::optional<Verdict>& verdict) const {
    record.app = "matmul";
    record.operations = shape_.operations() * static_cast<double>(options_.work);
    if (verdict) record.verified = verdict->is_right();
    record.seed = options_.seed;  // of the random matrices, and of the random check
    record.versions["blas"] = blas_version();
    if (options_.kernel == "packed") record.versions["libxsmm"] = generated_code_version();
    auto& told = record.options;
    told["rows"] = shape_.rows;
    told["inner"] = shape_.inner;
    told["cols"] = shape_.columns;
    told["type"] = name_of(shape_.type);
    told["kernel"] = options_.kernel;
    told["work"] = options_.work;
    told["verify"] = name_of(options_.verification);
    told["blas_threads"] = static_cast<Index>(blas_threads());
    if (!options_.a_file.empty()) told["a"] = options_.a_file;
    if (!options_.b_file.empty()) told["b"] = options_.b_file;
    if (!options_.c_file.empty()) told["c"] = options_.c_file;
    if (!kernel_->note().empty()) record.notes.push_back(kernel_->note());
    if (verdict && !verdict->is_right()) record.notes.push_back("wrong: " + describe_wrong(*verdict));
  }

  Farm& farm_;
  const MatmulOptions& options_;
  ProductShape shape_;
  MasterSide* master_;
  FarmJob job_;
  std::unique_ptr<Kernel<T>> kernel_;
  Matrices<T> matrices_;
};

/// Multiplies as asked: makes the farm, loads, runs, verifies, stores, reports. Every rank calls it. Throws
/// Error; a product that verification finds wrong is Error(run_failed), after its record was told.
void run_job(const MatmulOptions& options) {
  Farm farm = make_farm(options.run);
  std::optional<MasterSide> master;
  const std::string shape_text =
      farm.ask_master([&] { return encode(master.emplace(options).inputs.shape()); });
  const ProductShape shape = decode_shape(shape_text);
  MasterSide* const side = master ? &*master : nullptr;
  if (shape.type == ElementType::float64)
    Job<double>(farm, options, shape, side).run();
  else
    Job<float>(farm, options, shape, side).run();
}

}  // namespace
}  // namespace loadshare::matmul

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = matmul::read_command_line(argc, argv)) matmul::run_job(*options);
    return ExitCode::good;
  });
}
