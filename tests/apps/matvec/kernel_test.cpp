#include "apps/matvec/kernel.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "apps/common/matrix/generate.hpp"

namespace loadshare::matvec {
namespace {

template <class T>
class RowProduct : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(RowProduct, Types);

/// Around steps of 16 or 32 elements and blocks of 512 or 1024.
constexpr Index sizes[] = {0, 1, 15, 16, 17, 31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 5000};

TYPED_TEST(RowProduct, WholeNumbersAreExact) {
  for (const Index size : sizes) {
    std::vector<TypeParam> row, x;
    double right = 0;
    for (Index i = 0; i < size; ++i) {
      row.push_back(static_cast<TypeParam>(i % 7 - 3));
      x.push_back(static_cast<TypeParam>(i % 5 - 1));
      right += static_cast<double>(row.back()) * static_cast<double>(x.back());
    }
    EXPECT_EQ(row_product(row.data(), x.data(), size), right) << size;
  }
}

TYPED_TEST(RowProduct, EveryElementCountsOnce) {
  for (const Index size : sizes)
    for (Index at = 0; at < size; at += 1 + at / 40) {
      std::vector<TypeParam> row(static_cast<std::size_t>(size)), x(static_cast<std::size_t>(size), 1);
      row[static_cast<std::size_t>(at)] = 3;
      EXPECT_EQ(row_product(row.data(), x.data(), size), 3) << size << ' ' << at;
    }
}

TYPED_TEST(RowProduct, RoundsNoMoreOftenThanItSays) {
  constexpr Index size = 100'003;
  std::vector<TypeParam> row(size), x(size);
  generate_rows<TypeParam>({1, 0}, 0, 1, size, row.data());
  generate_rows<TypeParam>({1, 1}, 0, 1, size, x.data());
  long double right = 0, of_magnitudes = 0;
  for (std::size_t i = 0; i < size; ++i) {
    right += static_cast<long double>(row[i]) * x[i];
    of_magnitudes += std::abs(static_cast<long double>(row[i]) * x[i]);
  }
  const long double in_blocks = block_roundings * std::numeric_limits<TypeParam>::epsilon() / 2;
  const long double between_blocks = size * std::numeric_limits<double>::epsilon() / 2;
  EXPECT_LE(std::abs(row_product(row.data(), x.data(), size) - right),
            (in_blocks + between_blocks) * of_magnitudes);
}

}  // namespace
}  // namespace loadshare::matvec
