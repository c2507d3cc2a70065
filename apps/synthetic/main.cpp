#include <fmt/format.h>

#include "apps/synthetic/bill.hpp"
#include "apps/synthetic/costs/table.hpp"
#include "apps/synthetic/effort.hpp"
#include "apps/synthetic/options.hpp"
#include "apps/synthetic/pattern.hpp"
#include "apps/synthetic/verify.hpp"
#include "base/io/text.hpp"
#include "program/farm_job.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare::synthetic {
namespace {

void require_room(const LoopSizes& sizes) {
  const Bytes each = add_bytes(sizes.input_bytes, sizes.output_bytes);
  const Bytes all = add_bytes(multiply_bytes(static_cast<Bytes>(sizes.iterations), each), sizes.shared_bytes);
  const std::string what =
      fmt::format("a loop of {}", count_text(sizes.iterations, "iteration", "iterations"));
  require_farm_memory(all, what, "take fewer iterations or smaller ones");
}

/// What the master finds out before the run and every rank must know.
struct Agreement {
  std::uint64_t rounds_per_second = 0;  ///< 0: nothing is counted in rounds
  std::string cost_data;
};

std::string encode(const Agreement& agreement) {
  return fmt::format("{} {}", agreement.rounds_per_second, agreement.cost_data);
}

Agreement decode(const std::string& text) {
  const std::size_t space = text.find(' ');
  return {std::stoull(text.substr(0, space)), text.substr(space + 1)};
}

/// What only the master has. All that can be wrong is found before any rank has taken memory.
struct MasterSide {
  explicit MasterSide(const SyntheticOptions& options)
      : report(options.run, "synthetic", "iterations"), agreement{0, fetch_cost_data(options.cost)} {
    make_cost(options.cost, {options.sizes.iterations, options.sizes.seed, agreement.cost_data});
    require_room(options.sizes);
    if (options.effort.is_busy) agreement.rounds_per_second = options.rounds_per_second.value_or(0);
    if (options.effort.is_busy && !options.rounds_per_second)
      agreement.rounds_per_second = measure_rounds_per_second();
  }

  RunReport report;
  Agreement agreement;
};

/// One run of the loop, on one rank.
class Job {
 public:
  Job(Farm& farm, const SyntheticOptions& options, const Agreement& agreement, MasterSide* master)
      : farm_(farm),
        options_(options),
        sizes_(options.sizes),
        rounds_per_second_(agreement.rounds_per_second),
        master_(master),
        job_(farm, master == nullptr ? nullptr : &master->report, *options.run.forecast),
        cost_(make_cost(options.cost, {sizes_.iterations, sizes_.seed, agreement.cost_data})),
        effort_(options.effort.make(rounds_per_second_)),
        memory_{farm.resident<std::byte>(of_all(sizes_.input_bytes)),
                farm.resident<std::byte>(of_all(sizes_.output_bytes)),
                farm.replicated<std::byte>(sizes_.shared_bytes)} {}

  void run() {
    farm_.on_master([&] { fill(); });
    SyntheticWorkload workload(sizes_, memory_, *cost_, *effort_);
    RunRecord record = job_.run(workload);
    farm_.on_master([&] { finish(record); });
  }

 private:
  std::size_t of_all(std::size_t each) const { return static_cast<std::size_t>(sizes_.iterations) * each; }

  void fill() {
    fill_shared(sizes_.seed, memory_.shared);
    for (Index i = 0; i < sizes_.iterations; ++i)
      fill_input(sizes_.seed, i, part(memory_.inputs, sizes_.input_bytes, {i, 1}));
  }

  void finish(RunRecord& record) {
    if (options_.spoil)
      memory_.outputs[static_cast<std::size_t>(*options_.spoil) * sizes_.output_bytes] ^= std::byte{1};
    const Verdict verdict = verify(sizes_, memory_);
    job_.require_uninterrupted("after the results were computed");
    complete(record, verdict);
    master_->report.tell(record);
    if (!verdict.is_right())
      throw Error(ExitCode::run_failed, fmt::format("the result is wrong in {}", describe_wrong(verdict)));
  }

  void complete(RunRecord& record, const Verdict& verdict) const {
    record.app = "synthetic";
    record.seed = static_cast<Index>(sizes_.seed);
    if (sizes_.output_bytes > 0) record.verified = verdict.is_right();
    auto& told = record.options;
    told["cost"] = options_.cost.text();
    told["how"] = options_.effort.name;
    told["input_bytes"] = static_cast<Index>(sizes_.input_bytes);
    told["output_bytes"] = static_cast<Index>(sizes_.output_bytes);
    told["shared_bytes"] = static_cast<Index>(sizes_.shared_bytes);
    tell_bill(record);
    if (options_.effort.is_busy) tell_rounds(record);
    if (!verdict.is_right()) record.notes.push_back("wrong: " + describe_wrong(verdict));
  }

  void tell_bill(RunRecord& record) const {
    const Bill bill = add_up(*cost_, sizes_.iterations);
    record.options["cost_total_s"] = bill.total_s;
    record.options["cost_dearest_s"] = bill.dearest_s;
    record.options["cost_cv"] = bill.cv;
    record.options["least_makespan_s"] = bill.least_makespan_s(record.workers);
    if (bill.iterations > 0) record.notes.push_back(bill_text(bill, record.workers));
  }

  void tell_rounds(RunRecord& record) const {
    record.options["rounds_per_second"] = static_cast<Index>(rounds_per_second_);
    record.options["rounds_are_measured"] = !options_.rounds_per_second;
    if (!options_.rounds_per_second && sizes_.iterations > 0)
      record.notes.push_back(
          fmt::format("for the same work again: --rounds-per-second {}", rounds_per_second_));
  }

  Farm& farm_;
  const SyntheticOptions& options_;
  const LoopSizes& sizes_;
  std::uint64_t rounds_per_second_;
  MasterSide* master_;
  FarmJob job_;
  std::unique_ptr<Cost> cost_;
  std::unique_ptr<Effort> effort_;
  LoopMemory memory_;
};

/// Runs the loop as asked: makes the farm and the data, runs, verifies, reports. Every rank calls it. Throws
/// Error; results that verification finds wrong are Error(run_failed), after the record was told.
void run_job(const SyntheticOptions& options) {
  Farm farm = make_farm(options.run);
  std::optional<MasterSide> master;
  const Agreement agreement =
      decode(farm.ask_master([&] { return encode(master.emplace(options).agreement); }));
  Job(farm, options, agreement, master ? &*master : nullptr).run();
}

}  // namespace
}  // namespace loadshare::synthetic

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = synthetic::read_command_line(argc, argv)) synthetic::run_job(*options);
    return ExitCode::good;
  });
}
