#include "apps/matmul/verify/full.hpp"

#include <algorithm>
#include <numeric>

namespace loadshare::matmul {

template <class T>
Verdict verify_full(const Computed<T>& product, Reference reference) {
  std::vector<Index> columns(static_cast<std::size_t>(product.columns));
  std::iota(columns.begin(), columns.end(), Index{0});
  const std::vector<double> deviations = check_elements(product, columns, reference);

  std::vector<Index> wrong;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(wrong),
               [&](Index column) { return deviations[static_cast<std::size_t>(column)] > 1; });
  Verdict verdict{"full", product.columns, as_ranges(wrong), 0};
  for (const double deviation : deviations) verdict.worst_error = std::max(verdict.worst_error, deviation);
  return verdict;
}

template Verdict verify_full(const Computed<double>&, Reference);
template Verdict verify_full(const Computed<float>&, Reference);

}  // namespace loadshare::matmul
