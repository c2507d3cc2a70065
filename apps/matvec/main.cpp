#include <fmt/format.h>

#include <sstream>

#include "apps/common/matrix/operands.hpp"
#include "apps/matvec/options.hpp"
#include "apps/matvec/verify.hpp"
#include "apps/matvec/workload.hpp"
#include "program/farm_job.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare::matvec {
namespace {

void require_row(std::optional<Index> row, Index rows) {
  if (row && *row >= rows)
    throw UsageError(fmt::format("--spoil is {}", *row),
                     fmt::format("the product has {} rows, from 0", rows));
}

/// What only the master has: the inputs, and whom it will tell. All that can be wrong with them is found
/// before any rank has taken memory.
struct MasterSide {
  explicit MasterSide(const MatvecOptions& options) : inputs(options), report(options.run, "matvec", "rows") {
    const ProductShape& shape = inputs.shape();
    require_row(options.spoil, shape.rows);
    require_farm_memory(
        shape.bytes(),
        fmt::format("the product of a {} matrix and a vector", shape_text(shape.rows, shape.columns)),
        "take a smaller matrix, float32, or a host with more memory");
    if (!options.y_file.empty()) output.emplace(options.y_file, inputs.result_form());
  }

  Inputs inputs;
  RunReport report;
  std::optional<NpyOutput> output;
};

std::string encode(const ProductShape& shape) {
  return fmt::format("{} {} {}", shape.rows, shape.columns, static_cast<int>(shape.type));
}

ProductShape decode_shape(const std::string& text) {
  std::istringstream in(text);
  ProductShape shape;
  int type = 0;
  in >> shape.rows >> shape.columns >> type;
  shape.type = static_cast<ElementType>(type);
  return shape;
}

/// One product of elements of T, on one rank.
template <class T>
class Job {
 public:
  Job(Farm& farm, const MatvecOptions& options, const ProductShape& shape, MasterSide* master)
      : farm_(farm),
        options_(options),
        shape_(shape),
        master_(master),
        job_(farm, master == nullptr ? nullptr : &master->report, *options.run.forecast),
        operands_{farm.resident<T>(static_cast<std::size_t>(shape.rows * shape.columns)),
                  farm.replicated<T>(static_cast<std::size_t>(shape.columns)),
                  farm.resident<T>(static_cast<std::size_t>(shape.rows))} {}

  void run() {
    farm_.on_master([&] { master_->inputs.fill(operands_); });
    MatvecWorkload<T> workload(shape_, operands_, options_.repeat);
    RunRecord record = job_.run(workload);
    farm_.on_master([&] { finish(record); });
  }

 private:
  void finish(RunRecord& record) {
    if (options_.spoil) operands_.y[static_cast<std::size_t>(*options_.spoil)] += T(1);
    std::optional<Verdict> verdict;
    if (options_.verification == Verification::full) verdict = verify(shape_, operands_);
    job_.require_uninterrupted("after the product was computed");
    complete(record, verdict);
    const bool is_right = !verdict || verdict->is_right();
    if (is_right) store();
    master_->report.tell(record);
    if (!is_right)
      throw Error(ExitCode::run_failed, fmt::format("the product is wrong in {}", describe_wrong(*verdict)),
                  options_.y_file.empty() ? "" : options_.y_file + " was not written");
  }

  void store() {
    if (!master_->output) return;
    master_->output->store_column_major(static_cast<const T*>(operands_.y.data()));
    master_->output->commit();
  }

  void complete(RunRecord& record, const std::optional<Verdict>& verdict) const {
    record.app = "matvec";
    record.operations = shape_.operations() * static_cast<double>(options_.repeat);
    record.seed = options_.seed;
    if (verdict) record.verified = verdict->is_right();
    auto& told = record.options;
    told["rows"] = shape_.rows;
    told["cols"] = shape_.columns;
    told["type"] = name_of(shape_.type);
    told["repeat"] = options_.repeat;
    told["verify"] = name_of(options_.verification);
    if (!options_.a_file.empty()) told["a"] = options_.a_file;
    if (!options_.x_file.empty()) told["x"] = options_.x_file;
    if (!options_.y_file.empty()) told["y"] = options_.y_file;
    if (verdict && !verdict->is_right()) record.notes.push_back("wrong: " + describe_wrong(*verdict));
    tell_rate(record);
  }

  /// What bounds this loop.
  void tell_rate(RunRecord& record) const {
    const double bytes = static_cast<double>(shape_.matrix()) * static_cast<double>(options_.repeat);
    if (record.makespan_s > 0 && bytes > 0)
      record.notes.push_back(fmt::format("the matrix was read at {:.3g} GB/s by all together",
                                         bytes / record.makespan_s * 1e-9));
  }

  Farm& farm_;
  const MatvecOptions& options_;
  ProductShape shape_;
  MasterSide* master_;
  FarmJob job_;
  Operands<T> operands_;
};

/// Multiplies as asked: makes the farm and the data, runs, verifies, stores y, reports. Every rank calls it.
/// Throws Error; a product that verification finds wrong is Error(run_failed), after the record was told,
/// and y is not stored then.
void run_job(const MatvecOptions& options) {
  Farm farm = make_farm(options.run);
  std::optional<MasterSide> master;
  const ProductShape shape =
      decode_shape(farm.ask_master([&] { return encode(master.emplace(options).inputs.shape()); }));
  MasterSide* const side = master ? &*master : nullptr;
  if (shape.type == ElementType::float64)
    Job<double>(farm, options, shape, side).run();
  else
    Job<float>(farm, options, shape, side).run();
}

}  // namespace
}  // namespace loadshare::matvec

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = matvec::read_command_line(argc, argv)) matvec::run_job(*options);
    return ExitCode::good;
  });
}
