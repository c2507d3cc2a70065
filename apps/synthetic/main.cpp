#include <fmt/format.h>

#include "apps/common/application.hpp"
#include "apps/synthetic/bill.hpp"
#include "apps/synthetic/costs/table.hpp"
#include "apps/synthetic/effort.hpp"
#include "apps/synthetic/pattern.hpp"
#include "apps/synthetic/verify.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "schedulers/spec.hpp"

namespace loadshare::synthetic {
namespace {

// Keeps sizes far from overflow; no machine has so much memory.
constexpr Index most_bytes = Index{1} << 40;
constexpr Index most_iterations = Index{1} << 40;
constexpr Index most_rounds_per_second = Index{1} << 40;

constexpr std::size_t column_bytes = 5760;  // of a column of the load-sharing paper's matrices
constexpr const char* usual_cost = "gamma:mean=200us,cv=0.5";

/// Options of `synthetic`.
struct SyntheticOptions {
  LoopSizes sizes{.iterations = 10000, .input_bytes = column_bytes, .output_bytes = column_bytes};
  Spec cost = parse_cost(usual_cost);
  EffortEntry effort = effort_entry("busy");
  std::optional<std::uint64_t> rounds_per_second;  ///< empty: measured on the master
  std::optional<Index> spoil;                      ///< for testing: iteration whose result is spoiled
};

void add_loop(const OptionGroup& group, SyntheticOptions& options) {
  const Form<Spec> cost{[](std::string_view, const std::string& word) { return parse_cost(word); },
                        [](const Spec&) { return std::string(usual_cost); }};
  const Form<EffortEntry> effort{[](std::string_view, const std::string& word) { return effort_entry(word); },
                                 [](const EffortEntry& entry) { return entry.name; }};
  const Form<Index> bytes = whole(0, most_bytes);
  LoopSizes& sizes = options.sizes;
  group.add("--iterations", sizes.iterations, whole(0, most_iterations), "N", "number of iterations");
  group.add("--cost", options.cost, cost, "SPEC",
            "cost of each iteration: distribution and parameters; `help` lists them");
  group.add("--how", options.effort, effort, "HOW", table_help("how the cost is spent:", effort_entries()));
  group.add("--rounds-per-second", options.rounds_per_second, whole(1, most_rounds_per_second), "N",
            "for busy: rounds per second of cost; if not given, the program measures them");
  group.add("--input-bytes", sizes.input_bytes, bytes, "N",
            "bytes of input per iteration, sent to the worker");
  group.add("--output-bytes", sizes.output_bytes, bytes, "N",
            "bytes of output per iteration, returned to the master; all are verified");
  group.add("--shared-bytes", sizes.shared_bytes, bytes, "N",
            "bytes of broadcast input, which every host needs before its first chunk");
  group.add("--seed", sizes.seed, whole(0), "N", "random seed of costs and data");
}

void require_rounds(const SyntheticOptions& options) {
  if (options.rounds_per_second && !options.effort.is_busy)
    throw UsageError("--rounds-per-second is given",
                     fmt::format("--how {} computes none", options.effort.name), "leave it out");
}

void require_spoilable(std::optional<Index> iteration, const LoopSizes& sizes) {
  if (!iteration) return;
  if (*iteration >= sizes.iterations)
    throw UsageError(fmt::format("--spoil is {}", *iteration),
                     fmt::format("the loop has {} iterations, from 0", sizes.iterations));
  if (sizes.output_bytes == 0)
    throw UsageError(fmt::format("--spoil is {}", *iteration), "without output bytes there is no result",
                     "give --output-bytes");
}

void require_own_reports(const SyntheticOptions& options, const ReportOptions& reports) {
  const std::string* const costs = options.cost.given("path");
  require_own_files({{"--cost", costs != nullptr ? *costs : ""}},
                    {{"--json", reports.json}, {"--trace", reports.trace}});
}

void declare(CommandLineParser& parser, SyntheticOptions& options, RunOptions& run) {
  add_loop(parser.group("The loop"), options);
  add_run_options(parser, run);
  parser.group(testing_group)
      .add("--spoil", options.spoil, whole(0), "ITERATION",
           "spoil this iteration's result, to see verification find it");
  parser.answer_help("--cost", "the costs", [](std::size_t columns) { return cost_help(columns); });
  parser.check([&] {
    require_rounds(options);
    require_spoilable(options.spoil, options.sizes);
    require_own_reports(options, run);
  });
}

void require_room(const LoopSizes& sizes) {
  const Bytes each = add_bytes(sizes.input_bytes, sizes.output_bytes);
  const Bytes all = add_bytes(multiply_bytes(static_cast<Bytes>(sizes.iterations), each), sizes.shared_bytes);
  const std::string what =
      fmt::format("a loop of {}", count_text(sizes.iterations, "iteration", "iterations"));
  require_farm_memory(all, what, "use fewer iterations or smaller ones");
}

class LoopJob final : public Job {
 public:
  explicit LoopJob(const SyntheticOptions& options) : options_(options) {}

  std::string application() const override { return "synthetic"; }

  void describe(JobDescription& description) override;
  Workload& make(const JobDescription& description, Farm& farm) override;
  void fill() override;
  Verdict verify() override;
  void tell(RunRecord& record) const override;

 private:
  std::size_t of_all(std::size_t each) const { return static_cast<std::size_t>(sizes_.iterations) * each; }
  void record_bill(RunRecord& record) const;
  void record_rounds(RunRecord& record) const;

  const SyntheticOptions& options_;
  LoopSizes sizes_;
  std::uint64_t rounds_per_second_ = 0;  ///< 0: the effort does not count rounds
  std::unique_ptr<Cost> cost_;
  std::unique_ptr<Effort> effort_;
  LoopMemory memory_;
  std::optional<SyntheticWorkload> workload_;
};

void LoopJob::describe(JobDescription& description) {
  const LoopSizes& sizes = options_.sizes;
  const std::string cost_data = fetch_cost_data(options_.cost);
  make_cost(options_.cost, {sizes.iterations, sizes.seed, cost_data});
  require_room(sizes);
  std::uint64_t rounds = 0;
  if (options_.effort.is_busy)
    rounds = options_.rounds_per_second ? *options_.rounds_per_second : measure_rounds_per_second();
  description.set("iterations", sizes.iterations);
  description.set("input_bytes", static_cast<Index>(sizes.input_bytes));
  description.set("output_bytes", static_cast<Index>(sizes.output_bytes));
  description.set("shared_bytes", static_cast<Index>(sizes.shared_bytes));
  description.set("seed", static_cast<Index>(sizes.seed));
  description.set("cost", options_.cost.text());
  description.set("cost_data", cost_data);
  description.set("how", options_.effort.name);
  if (options_.rounds_per_second)
    description.set("rounds_per_second", static_cast<Index>(rounds));
  else
    description.set_measured("rounds_per_second", static_cast<Index>(rounds));
}

Workload& LoopJob::make(const JobDescription& description, Farm& farm) {
  const auto size = [&](const char* name) { return static_cast<std::size_t>(description.whole(name)); };
  sizes_ = {description.whole("iterations"), size("input_bytes"), size("output_bytes"), size("shared_bytes"),
            static_cast<std::uint64_t>(description.whole("seed"))};
  rounds_per_second_ = static_cast<std::uint64_t>(description.whole("rounds_per_second"));
  cost_ = make_cost(parse_cost(description.text("cost")),
                    {sizes_.iterations, sizes_.seed, description.text("cost_data")});
  effort_ = effort_entry(description.text("how")).make(rounds_per_second_);
  memory_ = {farm.resident<std::byte>(of_all(sizes_.input_bytes)),
             farm.resident<std::byte>(of_all(sizes_.output_bytes)),
             farm.replicated<std::byte>(sizes_.shared_bytes)};
  return workload_.emplace(sizes_, memory_, *cost_, *effort_);
}

void LoopJob::fill() {
  fill_shared(sizes_.seed, memory_.shared);
  for (Index i = 0; i < sizes_.iterations; ++i)
    fill_input(sizes_.seed, i, part_of_chunk(memory_.inputs, sizes_.input_bytes, {i, 1}));
}

Verdict LoopJob::verify() {
  if (options_.spoil)
    memory_.outputs[static_cast<std::size_t>(*options_.spoil) * sizes_.output_bytes] ^= std::byte{1};
  if (sizes_.output_bytes == 0) return {};
  return verdict_of(synthetic::verify(sizes_, memory_));
}

void LoopJob::tell(RunRecord& record) const {
  record.seed = static_cast<Index>(sizes_.seed);
  auto& options = record.options;
  options["cost"] = options_.cost.text();
  options["how"] = options_.effort.name;
  options["input_bytes"] = static_cast<Index>(sizes_.input_bytes);
  options["output_bytes"] = static_cast<Index>(sizes_.output_bytes);
  options["shared_bytes"] = static_cast<Index>(sizes_.shared_bytes);
  record_bill(record);
  if (options_.effort.is_busy) record_rounds(record);
}

void LoopJob::record_bill(RunRecord& record) const {
  const Bill bill = add_up(*cost_, sizes_.iterations);
  record.options["cost_total_s"] = bill.total_s;
  record.options["cost_dearest_s"] = bill.costliest_s;
  record.options["cost_cv"] = bill.cv;
  record.options["least_makespan_s"] = bill.least_makespan_s(record.workers);
  if (bill.iterations > 0) record.notes.push_back(bill_text(bill, record.workers));
}

void LoopJob::record_rounds(RunRecord& record) const {
  record.options["rounds_per_second"] = static_cast<Index>(rounds_per_second_);
  record.options["rounds_are_measured"] = !options_.rounds_per_second;
  if (!options_.rounds_per_second && sizes_.iterations > 0)
    record.notes.push_back(
        fmt::format("for the same work again: --rounds-per-second {}", rounds_per_second_));
}

}  // namespace
}  // namespace loadshare::synthetic

int main(int argc, char** argv) {
  using namespace loadshare::synthetic;
  return loadshare::run_job<LoopJob>(
      argc, argv,
      {.name = "synthetic",
       .purpose = "Share a loop of artificial work among workers; --cost sets how long each iteration takes.",
       .example = "synthetic --iterations 1000 --cost exponential:2ms --scheduler gss"},
      declare);
}
