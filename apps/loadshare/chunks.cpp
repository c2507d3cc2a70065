#include "apps/loadshare/chunks.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "apps/loadshare/command.hpp"
#include "base/error.hpp"
#include "base/quantities.hpp"
#include "runtime/records/json.hpp"

namespace loadshare::tool {
namespace {

/// Any time will do, as long as every iteration takes the same.
constexpr double iteration_s = 1e-3;

ChunkTiming timing_of(WorkerId worker, Chunk chunk) {
  const double seconds = iteration_s * static_cast<double>(chunk.size);
  return {worker, chunk, seconds, seconds};
}

void print_text(ChunkScheduler& scheduler, const LoopShape& shape) {
  cut_loop(scheduler, shape, [](Index size) { print(fmt::format("{}\n", size)); });
}

void print_json(ChunkScheduler& scheduler, const ChunksRequest& request, std::string_view spec) {
  print(fmt::format(R"({{"spec":{},"iterations":{},"workers":{},"sizes":[)", json_quoted(spec),
                    request.shape.iterations, request.shape.workers));
  const char* separator = "";
  const Index count = cut_loop(scheduler, request.shape, [&](Index size) {
    print(fmt::format("{}{}", separator, size));
    separator = ",";
  });
  print(fmt::format("],\"count\":{}}}\n", count));
}

class Chunks final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("SPEC", spec_, "the scheduler, as `loadshare schedulers` lists them: gss:14")->required();
    app.add_option("--iterations", iterations_, "iterations of the loop")->required()->type_name("N");
    app.add_option("--workers", workers_, "workers that ask in turn, all of one speed")
        ->required()
        ->type_name("P");
    app.add_flag("--json", json_, "print one JSON object instead of one size a line");
  }

  ExitCode run() override {
    constexpr Index most_workers = std::numeric_limits<std::uint32_t>::max();
    const LoopShape shape{whole_number("--iterations", iterations_, 0),
                          whole_number("--workers", workers_, 1, most_workers)};
    print_chunks({spec_, shape, json_ ? OutputForm::json : OutputForm::text}, built_in_schedulers());
    return ExitCode::good;
  }

 private:
  std::string spec_;
  std::string iterations_;
  std::string workers_;
  bool json_ = false;
};

}  // namespace

Index cut_loop(ChunkScheduler& scheduler, const LoopShape& shape, const std::function<void(Index)>& visit) {
  Index count = 0;
  for (Chunk chunk; chunk.first < shape.iterations; chunk.first += chunk.size, ++count) {
    const WorkerId worker{static_cast<std::uint32_t>(count % shape.workers)};
    const Index remaining = shape.iterations - chunk.first;
    chunk.size = scheduler.next_size(worker, remaining);
    if (chunk.size < 1 || chunk.size > remaining)
      throw Error(ExitCode::run_failed, fmt::format("the scheduler made a chunk of {}", chunk.size),
                  fmt::format("{} iterations remain", remaining));
    visit(chunk.size);
    scheduler.completed(timing_of(worker, chunk));
  }
  return count;
}

void print_chunks(const ChunksRequest& request, const SchedulerTable& table) {
  const auto scheduler = table.make(request.spec, request.shape);
  if (request.form == OutputForm::json)
    print_json(*scheduler, request, table.parse(request.spec).text());
  else
    print_text(*scheduler, request.shape);
}

std::unique_ptr<Command> make_chunks_command() {
  return std::make_unique<Chunks>();
}

}  // namespace loadshare::tool
