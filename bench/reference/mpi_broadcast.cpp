// The reference for the transfer of the first matrix to other hosts: MPI_Bcast as an application would call
// it, once, on connections that have not been used before.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "bench/reference/arguments.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/check.hpp"

namespace {

using namespace loadshare;
using mpi::check;

constexpr int root = 0;

int rank_here() {
  int rank = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  return rank;
}

/// Returns the time from the root's start until every rank has all bytes, by the root's clock.
double broadcast_s(std::vector<unsigned char>& bytes) {
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const double begun_s = monotonic_s();
  check(MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, root, MPI_COMM_WORLD), "MPI_Bcast");
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  return monotonic_s() - begun_s;
}

void verify(const std::vector<unsigned char>& bytes) {
  if (std::ranges::any_of(bytes, [](unsigned char byte) { return byte != 42; }))
    throw Error(ExitCode::run_failed, "the broadcast is wrong", "a byte did not arrive");
}

ExitCode run(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, {{"--bytes", "4147200"}});
  check(MPI_Init(nullptr, nullptr), "MPI_Init");
  const auto size = static_cast<std::size_t>(arguments.small_number("--bytes", 1));
  std::vector<unsigned char> bytes(size, rank_here() == root ? 42 : 0);
  const double seconds = broadcast_s(bytes);
  verify(bytes);
  if (rank_here() == root)
    fmt::print("{{\"program\": \"mpi_broadcast\", \"bytes\": {}, \"seconds\": {}, \"verified\": true}}\n",
               size, seconds);
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
