// The reference of the empty-chunk figures: a master and workers written by hand in plain MPI, with only what
// the loop needs. Chunks contain one iteration and no work.
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "bench/reference/arguments.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/check.hpp"

namespace {

using namespace loadshare;
using mpi::check;

constexpr int master = 0;
constexpr int stop_tag = 1;

struct Chunk24 {
  std::int64_t first = 0;
  std::int64_t size = 1;
  std::int64_t id = 0;
};
static_assert(sizeof(Chunk24) == 24);

struct World {
  int rank = 0;
  int ranks = 1;
};

// Blocking sends are the fastest here and cannot deadlock: at most 1 + prefetch small messages are in transit
// to a rank, and Open MPI sends those immediately, with or without a posted receive.
void send(const Chunk24& chunk, int to, int tag) {
  check(MPI_Send(&chunk, sizeof chunk, MPI_BYTE, to, tag, MPI_COMM_WORLD), "MPI_Send");
}

MPI_Status receive(Chunk24& chunk, int from) {
  MPI_Status status;
  check(MPI_Recv(&chunk, sizeof chunk, MPI_BYTE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status), "MPI_Recv");
  return status;
}

/// Number and sum of the iterations that a rank was given, from which the master checks that each was given
/// exactly once.
struct Tally {
  std::int64_t count = 0;
  std::int64_t sum = 0;
};

void run_master(const World& world, std::int64_t iterations, int depth) {
  std::int64_t next = 0, returned = 0;
  for (int round = 0; round < depth; ++round)
    for (int worker = 1; worker < world.ranks && next < iterations; ++worker, ++next)
      send({next, 1, next}, worker, 0);
  Chunk24 result;
  for (; returned < iterations; ++returned) {
    const MPI_Status status = receive(result, MPI_ANY_SOURCE);
    if (next == iterations) continue;
    send({next, 1, next}, status.MPI_SOURCE, 0);
    ++next;
  }
  for (int worker = 1; worker < world.ranks; ++worker) send({}, worker, stop_tag);
}

Tally run_worker() {
  Tally tally;
  Chunk24 chunk;
  while (receive(chunk, master).MPI_TAG != stop_tag) {
    tally.count += chunk.size;
    tally.sum += chunk.first;
    send(chunk, master, 0);
  }
  return tally;
}

void verify(const World& world, const Tally& mine, std::int64_t iterations) {
  Tally all;
  check(MPI_Reduce(&mine, &all, 2, MPI_INT64_T, MPI_SUM, master, MPI_COMM_WORLD), "MPI_Reduce");
  if (world.rank == master && (all.count != iterations || all.sum != iterations * (iterations - 1) / 2))
    throw Error(ExitCode::run_failed, "the loop is wrong",
                fmt::format("{} of {} iterations were given out", all.count, iterations));
}

double chunks_per_s(const World& world, std::int64_t iterations, int depth) {
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const double begun_s = monotonic_s();
  Tally tally;
  if (world.rank == master)
    run_master(world, iterations, depth);
  else
    tally = run_worker();
  const double taken_s = monotonic_s() - begun_s;
  verify(world, tally, iterations);
  return static_cast<double>(iterations) / taken_s;
}

ExitCode run(int argc, char** argv) {
  const bench::Arguments arguments(
      argc, argv, {{"--iterations", "1000000"}, {"--prefetch", "0"}, {"--repetitions", "3"}});
  check(MPI_Init(nullptr, nullptr), "MPI_Init");
  World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
  if (world.ranks < 2)
    throw UsageError("there is only one rank", "a master and a worker need two",
                     "run it with mpirun -q -np 2");
  const Index iterations = arguments.number("--iterations", 1);
  const int depth = arguments.small_number("--prefetch", 0) + 1;
  chunks_per_s(world, iterations / 10 + 1, depth);  // opens the connections
  std::vector<double> rates;
  for (Index i = 0; i < arguments.number("--repetitions", 1); ++i)
    rates.push_back(chunks_per_s(world, iterations, depth));
  if (world.rank == master)
    fmt::print(R"({{"program": "mpi_loop", "iterations": {}, "ranks": {}, "prefetch": {}, )"
               R"("chunks_per_s": {}, "verified": true}})"
               "\n",
               iterations, world.ranks, depth - 1, bench::json_list(rates));
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
