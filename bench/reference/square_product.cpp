#include "bench/reference/square_product.hpp"

#include "apps/common/matrix/generate.hpp"
#include "apps/matmul/verify.hpp"
#include "apps/matmul/workload.hpp"
#include "base/error.hpp"

namespace loadshare::bench {

template <class T>
SquareProduct<T>::SquareProduct(Index size_of_all, std::uint64_t seed_of_all)
    : size(size_of_all),
      seed(seed_of_all),
      a(static_cast<std::size_t>(size * size)),
      b(a.size()),
      c(a.size()) {
  generate_rows<T>({seed, 0}, 0, size, size, a.data());
  generate_columns<T>({seed, 1}, 0, size, size, b.data());
}

double square_operations(Index size) {
  const auto n = static_cast<double>(size);
  return 2 * n * n * n;
}

template <class T>
void SquareProduct<T>::require_right() const {
  // This kernel does not rearrange the rows of A and needs no BLAS.
  const auto kernel = matmul::make_kernel<T>("naive", size, size);
  matmul::PreparedPanels<T> panels({size, size, size}, a);
  const auto check =
      matmul::verify_freivalds(matmul::Computed<T>{*kernel, panels, b.data(), c.data(), size}, seed);
  if (!check.is_right())
    throw Error(ExitCode::run_failed, "the product is wrong", matmul::describe_wrong(check));
}

template struct SquareProduct<double>;
template struct SquareProduct<float>;

}  // namespace loadshare::bench
