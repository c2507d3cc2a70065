// The reference of the matmul figures: the whole product by one call of a BLAS, with selectable kernels.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "apps/matmul/kernels/blas_calls.hpp"
#include "base/names.hpp"
#include "bench/reference/arguments.hpp"
#include "bench/reference/square_product.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"

namespace {

using namespace loadshare;
using bench::SquareProduct;

constexpr Choices<blas::Family, 2> families{
    {{"openblas", blas::Family::openblas}, {"blis", blas::Family::blis}}};

template <class T>
double rate_of_one_product(SquareProduct<T>& product, const blas::Library& library) {
  const Index n = product.size;
  // The product of the previous repetition must not be verified as this one's.
  std::ranges::fill(product.c, T{-1});
  const double begun_s = monotonic_s();
  matmul::gemm(matmul::Product<T>{n, n, n, product.a.data(), matmul::Storage::row_major, product.b.data(), n,
                                  product.c.data(), n},
               library);
  const double taken_s = monotonic_s() - begun_s;
  product.require_right();
  return bench::square_operations(n) / taken_s * 1e-9;
}

template <class T>
std::vector<double> rates(const bench::Arguments& arguments, const blas::Library& library) {
  const auto seed = static_cast<std::uint64_t>(arguments.number("--seed", 0));
  SquareProduct<T> product(arguments.number("--size", 1), seed);
  // The first call starts the threads and allocates the buffers.
  SquareProduct<T> warm_up(std::min<Index>(product.size, 512), seed);
  rate_of_one_product(warm_up, library);
  std::vector<double> gflops;
  for (Index i = 0; i < arguments.number("--repetitions", 1); ++i)
    gflops.push_back(rate_of_one_product(product, library));
  return gflops;
}

std::optional<std::string> core_of(const bench::Arguments& arguments) {
  const std::string& core = arguments.text("--core");
  return core.empty() ? std::nullopt : std::optional(core);
}

/// Throws UsageError if other kernels run than the requested ones.
void require_core(const blas::Library& library, const std::optional<std::string>& core) {
  if (!core || blas::is_same_core_type(library.core(), *core)) return;
  throw UsageError(fmt::format("{} does not run kernels '{}'", library.version(), *core),
                   fmt::format("it took {}", library.core()));
}

ExitCode run(int argc, const char* const* argv) {
  const bench::Arguments arguments(argc, argv,
                                   {{"--core", ""},
                                    {"--library", "openblas"},
                                    {"--repetitions", "3"},
                                    {"--seed", "1"},
                                    {"--size", "4096"},
                                    {"--threads", "2"},
                                    {"--type", "float64"}});
  const blas::Family family = choose("--library", arguments.text("--library"), families);
  const std::optional<std::string> core = core_of(arguments);
  if (core) blas::require_instructions(family, *core);
  const blas::Library library(family, core);
  require_core(library, core);
  library.set_threads(arguments.small_number("--threads", 1));
  constexpr Choices<bool, 2> types{{{"float64", false}, {"float32", true}}};
  const bool is_single = choose("--type", arguments.text("--type"), types);
  const auto gflops = is_single ? rates<float>(arguments, library) : rates<double>(arguments, library);
  fmt::print(
      R"({{"program": "blas_reference", "library": "{}", "core": "{}", "asked_by": "{}", "allowed": ["{}"], "size": {}, )"
      R"("threads": {}, "gflops": {}, "verified": true}})"
      "\n",
      library.version(), library.core(), library.asked_by(),
      fmt::join(allowed_core_types(family, blas::this_processor()), R"(", ")"), arguments.number("--size", 1),
      library.threads(), bench::json_list(gflops));
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
