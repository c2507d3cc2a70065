// ScaLAPACK's product of the same matrices. Ranks hold block columns cyclically; each uses one BLAS thread.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "apps/common/blas/library.hpp"
#include "apps/common/matrix/generate.hpp"
#include "bench/reference/arguments.hpp"
#include "bench/reference/square_product.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/check.hpp"

// Declarations, because ScaLAPACK has no header for C.
extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridexit(int context);
int numroc_(const int* size, const int* block, const int* process, const int* first, const int* processes);
void descinit_(int* descriptor, const int* rows, const int* columns, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column, const int* context,
               const int* local_rows, int* info);
void pdgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* ia, const int* ja, const int* a_descriptor,
             const double* b, const int* ib, const int* jb, const int* b_descriptor, const double* beta,
             double* c, const int* ic, const int* jc, const int* c_descriptor);
}

namespace {

using namespace loadshare;
using mpi::check;

/// The columns of an n x n matrix that this rank holds: blocks of `block` columns, given to the ranks in
/// turn.
struct Layout {
  int size = 0;
  int block = 0;
  int rank = 0;
  int ranks = 1;

  int local_columns(int of_rank) const {
    const int first = 0;
    return numroc_(&size, &block, &of_rank, &first, &ranks);
  }
  /// Calls f(first global column, columns, first local column) for each block of a rank.
  template <class Each>
  void for_each_block(int of_rank, Each&& f) const {
    for (int first = of_rank * block, local = 0; first < size; first += ranks * block, local += block)
      f(first, std::min(block, size - first), local);
  }
};

std::vector<double> generate(const Layout& layout, RandomMatrix matrix) {
  const Index n = layout.size;
  std::vector<double> values(static_cast<std::size_t>(n * layout.local_columns(layout.rank)));
  layout.for_each_block(layout.rank, [&](Index first, Index columns, Index local) {
    generate_columns<double>(matrix, first, n, columns, values.data() + local * n);
  });
  return values;
}

/// The ranks as one row of a BLACS grid.
class Grid {
 public:
  explicit Grid(int ranks) {
    constexpr int default_context = 0;
    Cblacs_get(0, default_context, &context_);
    Cblacs_gridinit(&context_, "Row", 1, ranks);
  }
  ~Grid() { Cblacs_gridexit(context_); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  std::array<int, 9> descriptor(const Layout& layout) const {
    std::array<int, 9> descriptor{};
    const int first = 0;
    int info = 0;
    descinit_(descriptor.data(), &layout.size, &layout.size, &layout.block, &layout.block, &first, &first,
              &context_, &layout.size, &info);
    if (info != 0) throw Error(ExitCode::run_failed, fmt::format("descinit refuses its argument {}", -info));
    return descriptor;
  }

 private:
  int context_ = -1;
};

double seconds_of(const std::array<int, 9>& descriptor, const Layout& layout, const std::vector<double>& a,
                  const std::vector<double>& b, std::vector<double>& c) {
  const double zero = 0, one = 1;
  const int first = 1, n = layout.size;
  std::ranges::fill(c, -1.0);
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const double begun_s = monotonic_s();
  pdgemm_("N", "N", &n, &n, &n, &one, a.data(), &first, &first, descriptor.data(), b.data(), &first, &first,
          descriptor.data(), &zero, c.data(), &first, &first, descriptor.data());
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  return monotonic_s() - begun_s;
}

/// Puts one rank's columns at their places in the whole matrix.
void place(const Layout& layout, int of_rank, const std::vector<double>& part, std::vector<double>& whole) {
  const Index n = layout.size;
  layout.for_each_block(of_rank, [&](Index first, Index columns, Index local) {
    std::copy_n(part.data() + local * n, columns * n, whole.data() + first * n);
  });
}

/// Collects C on the first rank and verifies it there.
void verify(const Layout& layout, std::uint64_t seed, std::vector<double>& c) {
  const auto length = [](const std::vector<double>& part) { return static_cast<int>(part.size()); };
  if (layout.rank != 0) {
    check(MPI_Send(c.data(), length(c), MPI_DOUBLE, 0, 0, MPI_COMM_WORLD), "MPI_Send");
    return;
  }
  bench::SquareProduct<double> product(layout.size, seed);
  place(layout, 0, c, product.c);
  for (int rank = 1; rank < layout.ranks; ++rank) {
    std::vector<double> part(static_cast<std::size_t>(Index{layout.size} * layout.local_columns(rank)));
    check(MPI_Recv(part.data(), length(part), MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          "MPI_Recv");
    place(layout, rank, part, product.c);
  }
  product.require_right();
}

ExitCode run(int argc, char** argv) {
  const bench::Arguments arguments(
      argc, argv, {{"--size", "4096"}, {"--block", "128"}, {"--repetitions", "3"}, {"--seed", "1"}});
  check(MPI_Init(nullptr, nullptr), "MPI_Init");
  Layout layout{arguments.small_number("--size", 1), arguments.small_number("--block", 1)};
  MPI_Comm_rank(MPI_COMM_WORLD, &layout.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &layout.ranks);
  const auto seed = static_cast<std::uint64_t>(arguments.number("--seed", 0));
  blas::use_one_thread();
  const Grid grid(layout.ranks);
  const auto descriptor = grid.descriptor(layout);
  const std::vector<double> a = generate(layout, {seed, 0}), b = generate(layout, {seed, 1});
  std::vector<double> c(b.size());
  std::vector<double> gflops;
  for (Index i = 0; i < arguments.number("--repetitions", 1); ++i) {
    const double taken_s = seconds_of(descriptor, layout, a, b, c);
    verify(layout, seed, c);
    gflops.push_back(bench::square_operations(layout.size) / taken_s * 1e-9);
  }
  if (layout.rank == 0)
    fmt::print(R"({{"program": "pdgemm_reference", "size": {}, "ranks": {}, "block": {}, "gflops": {}, )"
               R"("verified": true}})"
               "\n",
               layout.size, layout.ranks, layout.block, bench::json_list(gflops));
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
