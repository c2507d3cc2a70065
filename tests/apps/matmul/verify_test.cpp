#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "apps/matmul/verify.hpp"
#include "tests/apps/matmul/sources.hpp"

namespace loadshare::matmul {
namespace {

using testing::MemoryPanels;
using testing::random_values;

template <class T>
constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// A product computed by one kernel, which tests verify and damage.
template <class T>
struct Case {
  Case(std::string_view kernel_name, std::vector<T> a_values, std::vector<T> b_values, Index rows,
       Index inner, Index column_count)
      : kernel(make_kernel<T>(kernel_name, rows, inner)),
        a(std::move(a_values), rows, inner, *kernel),
        b(std::move(b_values)),
        c(static_cast<std::size_t>(rows * column_count)),
        columns(column_count) {
    kernel->multiply(a, b.data(), c.data(), columns);
  }

  Computed<T> computed() { return {*kernel, a, b.data(), c.data(), columns}; }
  T& element(Index row, Index column) { return c[static_cast<std::size_t>(column * a.rows() + row)]; }

  std::unique_ptr<Kernel<T>> kernel;
  MemoryPanels<T> a;
  std::vector<T> b;
  std::vector<T> c;
  Index columns;
};

template <class T>
Case<T> random_case(std::string_view kernel, Index rows, Index inner, Index columns, std::uint64_t seed = 1,
                    double scale_a = 1, double scale_b = 1) {
  return Case<T>(kernel, random_values<T>(rows * inner, seed, scale_a),
                 random_values<T>(inner * columns, seed + 1, scale_b), rows, inner, columns);
}

/// Numbers whose magnitudes range over 2^-spread .. 2^spread.
template <class T>
std::vector<T> mixed_values(Index count, std::uint64_t seed, double spread) {
  auto values = random_values<T>(count, seed);
  const auto exponents = random_values<double>(count, seed + 100, spread);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::ldexp(values[i], static_cast<int>(exponents[i]));
  }
  return values;
}

template <class T>
void expect_right(Case<T>&& product, std::uint64_t seed = 7) {
  const ProductCheck quick = verify_freivalds(product.computed(), seed);
  EXPECT_TRUE(quick.is_right()) << describe_wrong(quick);
  EXPECT_LE(quick.worst_error, 1);
  for (const Reference reference : {Reference::blas, Reference::loops}) {
    const ProductCheck full = verify_full(product.computed(), reference);
    EXPECT_TRUE(full.is_right()) << describe_wrong(full);
    EXPECT_LE(full.worst_error, 1);
  }
}

template <class T>
void expect_wrong(Case<T>& product, const std::vector<Chunk>& columns) {
  const ProductCheck quick = verify_freivalds(product.computed(), 7);
  EXPECT_EQ(quick.wrong, columns) << describe_wrong(quick);
  EXPECT_GT(quick.worst_error, 1);
  for (const Reference reference : {Reference::blas, Reference::loops}) {
    EXPECT_EQ(verify_full(product.computed(), reference).wrong, columns);
  }
}

template <class T>
class Verification : public ::testing::Test {};
using Elements = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Verification, Elements);

TYPED_TEST(Verification, AcceptsEveryKernelAndShape) {
  for (const KernelInfo& info : kernels()) {
    for (const Index rows : {0, 1, 63, 65, 200}) {
      for (const Index inner : {0, 1, 7, 130, 600}) {
        for (const Index columns : {0, 1, 5, 300}) {
          SCOPED_TRACE(::testing::Message() << info.name << ' ' << rows << ' ' << inner << ' ' << columns);
          expect_right(random_case<TypeParam>(info.name, rows, inner, columns));
        }
      }
    }
  }
}

TYPED_TEST(Verification, RaisesNoFalseAlarmOverManySeeds) {
  auto product = random_case<TypeParam>("naive", 130, 260, 90, 42);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const ProductCheck check = verify_freivalds(product.computed(), seed);
    ASSERT_TRUE(check.is_right()) << seed;
    ASSERT_LE(check.worst_error, 1);
  }
}

TYPED_TEST(Verification, AcceptsLongAndThinProducts) {
  expect_right(random_case<TypeParam>("naive", 3, 60'000, 4));
  expect_right(random_case<TypeParam>("naive", 60'000, 2, 4));
  expect_right(random_case<TypeParam>("packed", 60'001, 1, 2));
}

TYPED_TEST(Verification, AcceptsEveryScale) {
  const double far = sizeof(TypeParam) == 8 ? 1e150 : 1e18;
  for (const double scale : {far, 1 / far}) {
    for (const double other : {1.0, scale, 1 / scale}) {
      expect_right(random_case<TypeParam>("packed", 70, 90, 11, 3, scale, other));
      expect_right(random_case<TypeParam>("naive", 70, 90, 11, 3, scale, other));
    }
  }
}

TYPED_TEST(Verification, AcceptsMixedMagnitudes) {
  const double spread = sizeof(TypeParam) == 8 ? 400 : 50;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    expect_right(Case<TypeParam>("packed", mixed_values<TypeParam>(70 * 90, seed, spread),
                                 mixed_values<TypeParam>(90 * 30, seed + 50, spread), 70, 90, 30));
  }
}

TYPED_TEST(Verification, AcceptsBiasedRounding) {
  // A plain sum of a constant that is not a binary fraction rounds in one direction for thousands of terms.
  constexpr Index inner = 30'000;
  const auto tenth = static_cast<TypeParam>(0.1);
  expect_right(Case<TypeParam>("naive", std::vector<TypeParam>(20 * inner, tenth),
                               std::vector<TypeParam>(inner * 50, tenth), 20, inner, 50));
}

TYPED_TEST(Verification, AcceptsZeros) {
  expect_right(Case<TypeParam>("packed", std::vector<TypeParam>(70 * 9), random_values<TypeParam>(9 * 5, 1),
                               70, 9, 5));
}

TYPED_TEST(Verification, FindsOneWrongElementAnywhere) {
  for (const KernelInfo& info : kernels()) {
    for (const Index row : {0, 63, 64, 149}) {
      for (const Index column : {0, 7, 39}) {
        auto product = random_case<TypeParam>(info.name, 150, 333, 40);
        product.element(row, column) += static_cast<TypeParam>(0.01);
        expect_wrong(product, {{column, 1}});
      }
    }
  }
}

TYPED_TEST(Verification, FindsFaultsLittleLargerThanRounding) {
  const double smallest = sizeof(TypeParam) == 8 ? 3e-11 : 1e-2;
  for (const double fault : {smallest, -smallest, 1.0, 1e30}) {
    auto product = random_case<TypeParam>("packed", 150, 333, 40);
    product.element(77, 13) += static_cast<TypeParam>(fault);
    expect_wrong(product, {{13, 1}});
  }
}

TYPED_TEST(Verification, FindsFaultsAtEveryScale) {
  const double far = sizeof(TypeParam) == 8 ? 1e140 : 1e15;
  for (const double scale : {far, 1 / far}) {
    auto product = random_case<TypeParam>("packed", 150, 333, 40, 1, scale, 1);
    product.element(149, 39) += static_cast<TypeParam>(0.01 * scale);
    expect_wrong(product, {{39, 1}});
  }
}

TYPED_TEST(Verification, FindsSwappedElements) {
  auto product = random_case<TypeParam>("packed", 150, 333, 40);
  std::swap(product.element(3, 8), product.element(100, 8));
  expect_wrong(product, {{8, 1}});
}

TYPED_TEST(Verification, NamesAllWrongColumnsAsRanges) {
  auto product = random_case<TypeParam>("packed", 150, 60, 400);
  for (Index column = 100; column < 350; ++column) product.element(column % 150, column) += 1;
  product.element(5, 399) = 0;
  expect_wrong(product, {{100, 250}, {399, 1}});
}

TYPED_TEST(Verification, FindsOneFaultAmongBiasedColumns) {
  constexpr Index inner = 30'000;
  const auto tenth = static_cast<TypeParam>(0.1);
  Case<TypeParam> product("naive", std::vector<TypeParam>(20 * inner, tenth),
                          std::vector<TypeParam>(inner * 50, tenth), 20, inner, 50);
  product.element(19, 30) = 0;
  expect_wrong(product, {{30, 1}});
}

TYPED_TEST(Verification, FindsNaN) {
  auto product = random_case<TypeParam>("packed", 150, 60, 40);
  product.element(149, 4) = not_a_number<TypeParam>;
  product.element(0, 6) = std::numeric_limits<TypeParam>::infinity();
  expect_wrong(product, {{4, 1}, {6, 1}});
}

TYPED_TEST(Verification, AcceptsExpectedNaN) {
  auto b = random_values<TypeParam>(60 * 40, 2);
  b[60 * 9 + 3] = not_a_number<TypeParam>;
  b[60 * 11] = std::numeric_limits<TypeParam>::infinity();
  Case<TypeParam> product("packed", random_values<TypeParam>(150 * 60, 1), b, 150, 60, 40);
  expect_right(std::move(product));

  Case<TypeParam> missing("packed", random_values<TypeParam>(150 * 60, 1), b, 150, 60, 40);
  for (Index row = 0; row < 150; ++row) missing.element(row, 9) = 1;
  expect_wrong(missing, {{9, 1}});
}

/// A product with a NaN in row 100 of A.
template <class T>
Case<T> case_with_special(std::string_view kernel, T special) {
  auto a = random_values<T>(150 * 60, 1);
  a[100 * 60 + 7] = special;
  return Case<T>(kernel, std::move(a), random_values<T>(60 * 40, 2), 150, 60, 40);
}

TYPED_TEST(Verification, FindsOneFaultNextToANaN) {
  constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  for (const KernelInfo& info : kernels()) {
    for (const TypeParam special : {not_a_number<TypeParam>, infinity, -infinity}) {
      SCOPED_TRACE(::testing::Message() << info.name << ' ' << special);
      expect_right(case_with_special(info.name, special));
      auto product = case_with_special(info.name, special);
      product.element(0, 3) += static_cast<TypeParam>(0.01);
      product.element(100, 17) = 1;
      product.element(101, 18) = not_a_number<TypeParam>;
      expect_wrong(product, {{3, 1}, {17, 2}});
    }
  }
}

TYPED_TEST(Verification, DistinguishesInfinitiesOfBothSignsAndNaN) {
  constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  auto product = case_with_special("packed", infinity);
  product.element(100, 3) = -product.element(100, 3);
  product.element(100, 5) = not_a_number<TypeParam>;
  expect_wrong(product, {{3, 1}, {5, 1}});
  auto none = case_with_special("packed", not_a_number<TypeParam>);
  none.element(100, 8) = infinity;
  expect_wrong(none, {{8, 1}});
}

TYPED_TEST(Verification, FindsANaNAmongNumbersThatOverflow) {
  const TypeParam huge = std::numeric_limits<TypeParam>::max() / 2;
  const std::vector<TypeParam> a{huge, not_a_number<TypeParam>, -huge, huge, huge, 1};
  Case<TypeParam> product("naive", a, std::vector<TypeParam>(3 * 2, 2), 2, 3, 2);
  ASSERT_TRUE(std::isnan(product.element(0, 1)));
  EXPECT_TRUE(verify_full(product.computed()).is_right());
  EXPECT_TRUE(verify_freivalds(product.computed(), 7).is_right());
  product.element(0, 1) = std::numeric_limits<TypeParam>::infinity();
  expect_wrong(product, {{1, 1}});
}

TYPED_TEST(Verification, FindsTheWrongSignOfAnOverflow) {
  const TypeParam huge = std::numeric_limits<TypeParam>::max() / 2;
  Case<TypeParam> product("naive", std::vector<TypeParam>(70 * 5, huge), std::vector<TypeParam>(5 * 3, 1), 70,
                          5, 3);
  product.element(69, 1) = -product.element(69, 1);
  product.element(3, 2) = 7;
  expect_wrong(product, {{1, 2}});
}

TYPED_TEST(Verification, NeverAcceptsSumsThatOverflowInSomeOrdersOnly) {
  const TypeParam huge = std::numeric_limits<TypeParam>::max() / 4 * 3;
  // huge + huge - huge - huge, first column: 0 in one order, infinite or NaN in others.
  Case<TypeParam> product("naive", {huge, huge, -huge, -huge}, {1, 1, 1, 1, 0, 0, 0, 0}, 1, 4, 2);
  for (const TypeParam claimed : {std::numeric_limits<TypeParam>::infinity(), not_a_number<TypeParam>}) {
    product.element(0, 0) = claimed;
    expect_wrong(product, {{0, 1}});
    EXPECT_EQ(verify_full(product.computed()).undecided_columns, 1);
    EXPECT_EQ(verify_freivalds(product.computed(), 7).undecided_columns, 1);
  }
  product.element(0, 0) = 0;
  EXPECT_TRUE(verify_full(product.computed()).is_right());
  product.element(0, 0) = huge;
  expect_wrong(product, {{0, 1}});
  EXPECT_EQ(verify_full(product.computed()).undecided_columns, 0);
}

TYPED_TEST(Verification, FindsRowsThatWerePackedWrong) {
  for (const KernelInfo& info : kernels()) {
    const auto kernel = make_kernel<TypeParam>(info.name, 150, 33);
    auto given = random_values<TypeParam>(150 * 33, 4);
    given[5] = not_a_number<TypeParam>;
    MemoryPanels<TypeParam> a(given, 150, 33, *kernel);
    const auto source = [&](Index first, Index rows, TypeParam* out) {
      std::copy_n(given.data() + first * 33, rows * 33, out);
    };
    EXPECT_TRUE(wrongly_prepared_rows<TypeParam>(*kernel, a, source).empty()) << info.name;
    given[64 * 33] += 1;
    given[149 * 33 + 32] = 0;
    EXPECT_THAT(wrongly_prepared_rows<TypeParam>(*kernel, a, source),
                ::testing::ElementsAre(Chunk{64, 1}, Chunk{149, 1}));
  }
}

TYPED_TEST(Verification, AcceptsOverflowThatIsRight) {
  const TypeParam huge = std::numeric_limits<TypeParam>::max() / 2;
  expect_right(Case<TypeParam>("naive", std::vector<TypeParam>(70 * 5, huge),
                               std::vector<TypeParam>(5 * 3, 1), 70, 5, 3));
}

TEST(ProductCheck, IsDescribedBriefly) {
  EXPECT_EQ(describe_wrong({"full", 10, {}, 0}), "none");
  EXPECT_EQ(describe_wrong({"full", 10, {{4, 1}}, 2}), "column 4 (1 of 10)");
  EXPECT_EQ(describe_wrong({"full", 720, {{12, 4}, {40, 1}}, 2}), "columns 12-15, 40 (5 of 720)");
}

TEST(ProductCheck, ReportsUndecidedColumns) {
  EXPECT_EQ(describe_wrong({"full", 10, {{4, 1}}, 2, 1}),
            "column 4 (1 of 10) undecided: their sums overflow in some orders of summation, in others not");
  EXPECT_THAT(describe_wrong({"full", 10, {{4, 2}}, 2, 1}),
              ::testing::HasSubstr("(2 of 10), some undecided"));
}

TEST(ProductCheck, ListsAtMostEightRanges) {
  std::vector<Chunk> many;
  for (Index i = 0; i < 9; ++i) many.push_back({2 * i, 1});
  EXPECT_EQ(describe_wrong({"full", 20, many, 2}), "columns 0, 2, 4, 6, 8, 10, 12, 14, ... (9 of 20)");
}

TEST(ProductCheck, JoinsNeighboursIntoRanges) {
  EXPECT_THAT(as_ranges({1, 2, 3, 5}), ::testing::ElementsAre(Chunk{1, 3}, Chunk{5, 1}));
  EXPECT_TRUE(as_ranges({}).empty());
}

}  // namespace
}  // namespace loadshare::matmul
