#include "apps/matvec/verify.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "apps/common/matrix/generate.hpp"
#include "apps/matvec/kernel.hpp"

namespace loadshare::matvec {
namespace {

template <class T>
struct Product {
  Product(Index rows, Index columns)
      : shape{rows, columns, 1, element_type<T>},
        a(static_cast<std::size_t>(rows * columns)),
        x(static_cast<std::size_t>(columns)),
        y(static_cast<std::size_t>(rows)) {
    generate_rows<T>({3, 0}, 0, rows, columns, a.data());
    generate_rows<T>({3, 1}, 0, 1, columns, x.data());
    multiply();
  }
  void multiply() {
    for (Index i = 0; i < shape.rows; ++i)
      y[static_cast<std::size_t>(i)] =
          static_cast<T>(row_product(a.data() + i * shape.inner, x.data(), shape.inner));
  }
  LoopCheck verdict() { return verify(shape, ProductMatrices<T>{a, x, y}); }

  ProductShape shape;
  std::vector<T> a, x, y;
};

template <class T>
class Verify : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Verify, Types);

TYPED_TEST(Verify, RightProductsPass) {
  for (const Index columns : {0, 1, 17, 1000, 40'000}) {
    Product<TypeParam> product(20, columns);
    EXPECT_TRUE(product.verdict().is_right()) << columns;
  }
}

TYPED_TEST(Verify, FindsErrorsLargerThanRounding) {
  Product<TypeParam> product(60, 1000);
  const long double many = 1000 * std::numeric_limits<TypeParam>::epsilon();
  product.y[17] += static_cast<TypeParam>(many * 250);  // the magnitudes of a row sum up to some 250
  EXPECT_EQ(describe_wrong(product.verdict()), "row 17 (1 of 60)");
  product.y[59] = 0;
  product.y[30] = 0;
  EXPECT_EQ(describe_wrong(product.verdict()), "3 of 60 rows, the first of them 17");
}

TYPED_TEST(Verify, FindsOneProductLeftOut) {
  Product<TypeParam> product(5, 300);
  product.y[3] -= product.a[3 * 300 + 299] * product.x[299];
  EXPECT_EQ(describe_wrong(product.verdict()), "row 3 (1 of 5)");
}

TYPED_TEST(Verify, NaNKeepsItsPlace) {
  constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  constexpr TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  Product<TypeParam> product(4, 40);
  product.a[2 * 40] = nan;
  product.a[3 * 40] = std::numeric_limits<TypeParam>::max();
  product.a[3 * 40 + 1] = std::numeric_limits<TypeParam>::max();
  product.x[0] = product.x[1] = 2;
  product.multiply();
  EXPECT_TRUE(product.verdict().is_right());  // row 2 is no number, row 3 overflows
  product.y[1] = infinity;
  EXPECT_EQ(describe_wrong(product.verdict()), "row 1 (1 of 4)");
  product.y[1] = nan;
  EXPECT_EQ(describe_wrong(product.verdict()), "row 1 (1 of 4)");
  product.multiply();
  for (const TypeParam wrong : {TypeParam(1), infinity}) {
    product.y[2] = wrong;
    EXPECT_EQ(describe_wrong(product.verdict()), "row 2 (1 of 4)") << wrong;
  }
  product.multiply();
  for (const TypeParam wrong : {TypeParam(1), nan, -infinity}) {
    product.y[3] = wrong;
    EXPECT_EQ(describe_wrong(product.verdict()), "row 3 (1 of 4)") << wrong;
  }
}

TYPED_TEST(Verify, InfiniteNumbersKeepTheirSign) {
  constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  Product<TypeParam> product(4, 40);
  product.a[2 * 40] = -infinity;
  product.x[0] = 2;
  product.multiply();
  EXPECT_TRUE(product.verdict().is_right());
  for (const TypeParam wrong : {infinity, TypeParam(1)}) {
    product.y[2] = wrong;
    EXPECT_EQ(describe_wrong(product.verdict()), "row 2 (1 of 4)") << wrong;
  }
}

}  // namespace
}  // namespace loadshare::matvec
