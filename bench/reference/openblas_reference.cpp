// The reference of every matmul figure: the whole product by one OpenBLAS call.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "apps/matmul/kernels/blas_calls.hpp"
#include "bench/reference/arguments.hpp"
#include "bench/reference/square_product.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"

namespace {

using namespace loadshare;
using bench::SquareProduct;

void multiply(SquareProduct& product) {
  const Index n = product.size;
  matmul::gemm(matmul::Product<double>{n, n, n, product.a.data(), matmul::Storage::row_major,
                                       product.b.data(), n, product.c.data(), n});
}

double rate_of_one_product(SquareProduct& product, int threads) {
  // A product of the repetition before must not pass for this one's.
  std::ranges::fill(product.c, -1.0);
  // Each time, because verifying limits them to one.
  matmul::set_blas_threads(threads);
  const double begun_s = monotonic_s();
  multiply(product);
  const double taken_s = monotonic_s() - begun_s;
  product.require_right();
  return product.operations() / taken_s * 1e-9;
}

ExitCode run(int argc, const char* const* argv) {
  const bench::Arguments arguments(
      argc, argv, {{"--size", "4096"}, {"--threads", "2"}, {"--repetitions", "3"}, {"--seed", "1"}});
  const int threads = arguments.small_number("--threads", 1);
  const Index repetitions = arguments.number("--repetitions", 1);
  const auto seed = static_cast<std::uint64_t>(arguments.number("--seed", 0));
  SquareProduct product(arguments.number("--size", 1), seed);
  matmul::set_blas_threads(threads);
  // The first call starts the threads and takes the buffers.
  SquareProduct warm_up(std::min<Index>(product.size, 512), seed);
  multiply(warm_up);
  std::vector<double> gflops;
  for (Index i = 0; i < repetitions; ++i) gflops.push_back(rate_of_one_product(product, threads));
  fmt::print(
      R"({{"program": "openblas_reference", "size": {}, "threads": {}, "gflops": {}, "verified": true}})"
      "\n",
      product.size, threads, bench::json_list(gflops));
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
