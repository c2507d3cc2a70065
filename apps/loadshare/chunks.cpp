#include "apps/loadshare/chunks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <utility>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "models/farm/auto_scheduler.hpp"
#include "runtime/records/json.hpp"

namespace loadshare::tool {
namespace {

/// Any time will do, as long as every iteration takes the same.
constexpr double iteration_s = 1e-3;

ChunkTimes times_of(WorkerId worker, Chunk chunk) {
  const double seconds = iteration_s * static_cast<double>(chunk.size);
  return {.worker = worker, .chunk = chunk, .response_s = seconds, .compute_s = seconds};
}

void print_sizes(ChunkScheduler& scheduler, const LoopFacts& loop) {
  cut_loop(scheduler, loop, [](Index size) { print_exactly(fmt::format("{}\n", size)); });
}

void print_runs(ChunkScheduler& scheduler, const LoopFacts& loop) {
  ChunkRuns runs;
  const Index count = cut_loop(scheduler, loop, [&](Index size) { print_exactly(runs.add(size)); });
  print_exactly(runs.end());
  print(fmt::format("{} in {}\n", count_text(loop.iterations, "iterations"), count_text(count, "chunks")));
}

void print_json(ChunkScheduler& scheduler, const ChunksRequest& request, std::string_view spec) {
  print_exactly(fmt::format(R"({{"spec":{},"iterations":{},"workers":{},"sizes":[)", json_quoted(spec),
                            request.loop.iterations, request.loop.workers));
  const char* separator = "";
  const Index count = cut_loop(scheduler, request.loop, [&](Index size) {
    print_exactly(fmt::format("{}{}", separator, size));
    separator = ",";
  });
  print_exactly(fmt::format("],\"count\":{}}}\n", count));
}

class Chunks final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("SPEC", spec_, "the scheduler, as `loadshare schedulers` lists them: gss:14")->required();
    app.add_option("--iterations", iterations_, "iterations of the loop")->required()->type_name("N");
    app.add_option("--workers", workers_, "workers, which ask in turn and have the same speed")
        ->required()
        ->type_name("P");
    app.add_flag("--json", json_,
                 "print one JSON object (default: runs of equal sizes; in a pipe, one size per line)");
  }

  ExitCode run() override {
    constexpr Index most_workers = std::numeric_limits<std::uint32_t>::max();
    constexpr Index most_iterations = 1'000'000'000'000;
    const LoopFacts loop{whole_number("--iterations", iterations_, 0, most_iterations),
                         whole_number("--workers", workers_, 1, most_workers)};
    print_chunks({spec_, loop, form()}, predictor::farm_schedulers());
    return ExitCode::good;
  }

 private:
  /// Who prints into a pipe wants numbers, and who reads them no column of hundreds.
  ChunksForm form() const {
    if (json_) return ChunksForm::json;
    return isatty(STDOUT_FILENO) == 1 ? ChunksForm::runs : ChunksForm::sizes;
  }

  std::string spec_;
  std::string iterations_;
  std::string workers_;
  bool json_ = false;
};

}  // namespace

Index cut_loop(ChunkScheduler& scheduler, const LoopFacts& loop, const std::function<void(Index)>& visit) {
  Index count = 0;
  for (Chunk chunk; chunk.first < loop.iterations; chunk.first += chunk.size, ++count) {
    const WorkerId worker{static_cast<std::uint32_t>(count % loop.workers)};
    const Index remaining = loop.iterations - chunk.first;
    chunk.size = scheduler.next({worker, chunk.first, remaining, 0, loop.workers}).size;
    if (chunk.size < 1 || chunk.size > remaining)
      throw Error(ExitCode::run_failed, fmt::format("the scheduler made a chunk of {}", chunk.size),
                  fmt::format("{} iterations remain", remaining));
    scheduler.assigned(worker, chunk);
    visit(chunk.size);
    scheduler.completed(times_of(worker, chunk));
  }
  return count;
}

std::string ChunkRuns::add(Index size) {
  std::string done;
  if (size != size_ && length_ > 0) done = end();
  size_ = size;
  ++length_;
  return done;
}

std::string ChunkRuns::end() {
  if (length_ == 0) return {};
  return fmt::format("{} x {}\n", std::exchange(length_, 0), size_);
}

void print_chunks(const ChunksRequest& request, const SchedulerTable& table) {
  const auto scheduler = table.make(request.spec, request.loop);
  switch (request.form) {
    case ChunksForm::json:
      return print_json(*scheduler, request, table.parse(request.spec).text());
    case ChunksForm::runs:
      return print_runs(*scheduler, request.loop);
    case ChunksForm::sizes:
      return print_sizes(*scheduler, request.loop);
  }
}

std::unique_ptr<Command> make_chunks_command() {
  return std::make_unique<Chunks>();
}

}  // namespace loadshare::tool
