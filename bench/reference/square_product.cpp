#include "bench/reference/square_product.hpp"

#include "apps/common/matrix/generate.hpp"
#include "apps/matmul/verify.hpp"
#include "apps/matmul/workload.hpp"
#include "base/error.hpp"

namespace loadshare::bench {

SquareProduct::SquareProduct(Index size_of_all, std::uint64_t seed_of_all)
    : size(size_of_all),
      seed(seed_of_all),
      a(static_cast<std::size_t>(size * size)),
      b(a.size()),
      c(a.size()) {
  generate_rows<double>({seed, 0}, 0, size, size, a.data());
  generate_columns<double>({seed, 1}, 0, size, size, b.data());
}

double square_operations(Index size) {
  const auto n = static_cast<double>(size);
  return 2 * n * n * n;
}

double SquareProduct::operations() const {
  return square_operations(size);
}

void SquareProduct::require_right() const {
  // The kernel that keeps the rows of A as they are.
  const auto kernel = matmul::make_kernel<double>("blas", size, size);
  matmul::PreparedPanels<double> panels({size, size, size}, a);
  const matmul::Verdict verdict =
      matmul::verify_freivalds(matmul::Computed<double>{*kernel, panels, b.data(), c.data(), size}, seed);
  if (!verdict.is_right())
    throw Error(ExitCode::run_failed, "the product is wrong", matmul::describe_wrong(verdict));
}

}  // namespace loadshare::bench
