#include "apps/loadshare/chunks.hpp"

#include <fmt/format.h>

#include "runtime/timing/json_text.hpp"
#include "schedulers/error.hpp"

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

}  // namespace loadshare::tool
