#include "apps/matmul/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "apps/matmul/kernels/blas_calls.hpp"
#include "apps/matmul/kernels/generated.hpp"
#include "apps/matmul/kernels/packed.hpp"
#include "base/error.hpp"
#include "tests/apps/matmul/sources.hpp"

namespace loadshare::matmul {
namespace {

using testing::MemoryPanels;
using testing::random_values;

struct Shape {
  Index rows;
  Index inner;
  Index columns;
};

std::vector<Shape> edge_shapes() {
  return {{0, 5, 3},     {5, 0, 3},     {5, 3, 0},     {0, 0, 0},     {1, 1, 1},     {1, 300, 2},
          {63, 7, 5},    {64, 8, 6},    {65, 9, 7},    {127, 31, 13}, {128, 64, 16}, {129, 255, 1},
          {64, 256, 96}, {67, 257, 97}, {64, 513, 6},  {1, 1031, 12}, {191, 521, 3}, {70, 1023, 5},
          {200, 1, 200}, {3, 2, 131},   {66, 1300, 31}};
}

template <class T>
std::vector<long double> reference(const std::vector<T>& a, const std::vector<T>& b, const Shape& shape) {
  std::vector<long double> c;
  for (Index j = 0; j < shape.columns; ++j) {
    for (Index i = 0; i < shape.rows; ++i) {
      long double sum = 0;
      for (Index k = 0; k < shape.inner; ++k) {
        sum += static_cast<long double>(a[static_cast<std::size_t>(i * shape.inner + k)]) *
               static_cast<long double>(b[static_cast<std::size_t>(j * shape.inner + k)]);
      }
      c.push_back(sum);
    }
  }
  return c;
}

// Values lie in [-1, 1), so this bounds the rounding of any order of summation.
template <class T>
long double rounding_bound(Index inner) {
  const auto terms = static_cast<long double>(inner);
  return (terms + 1) * terms * static_cast<long double>(std::numeric_limits<T>::epsilon());
}

template <class T>
void expect_right_product(const Kernel<T>& kernel, const Shape& shape) {
  SCOPED_TRACE(::testing::Message() << shape.rows << " x " << shape.inner << " x " << shape.columns);
  const auto a = random_values<T>(shape.rows * shape.inner, 1);
  const auto b = random_values<T>(shape.inner * shape.columns, 2);
  MemoryPanels<T> panels(a, shape.rows, shape.inner, kernel);
  constexpr std::size_t guard = 3;
  std::vector<T> c(static_cast<std::size_t>(shape.rows * shape.columns) + guard,
                   std::numeric_limits<T>::quiet_NaN());
  kernel.multiply(panels, b.data(), c.data(), shape.columns);

  const auto expected = reference(a, b, shape);
  const long double bound = rounding_bound<T>(shape.inner);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_LE(std::abs(static_cast<long double>(c[i]) - expected[i]), bound) << "element " << i;
  }
  for (std::size_t i = expected.size(); i < c.size(); ++i) ASSERT_TRUE(std::isnan(c[i])) << "wrote beyond C";
}

template <class T>
class EveryKernel : public ::testing::Test {};
using Elements = ::testing::Types<double, float>;
TYPED_TEST_SUITE(EveryKernel, Elements);

TYPED_TEST(EveryKernel, IsRightForEdgeShapes) {
  for (const KernelInfo& info : kernels()) {
    SCOPED_TRACE(info.name);
    for (const Shape& shape : edge_shapes()) {
      expect_right_product(*make_kernel<TypeParam>(info.name, shape.rows, shape.inner), shape);
    }
  }
}

TYPED_TEST(EveryKernel, UnpacksWhatItPrepared) {
  for (const KernelInfo& info : kernels()) {
    for (const Shape& shape : {Shape{64, 33, 0}, Shape{7, 129, 0}, Shape{1, 1, 0}, Shape{9, 8, 0}}) {
      const auto kernel = make_kernel<TypeParam>(info.name, shape.rows, shape.inner);
      const auto raw = random_values<TypeParam>(shape.rows * shape.inner, 3);
      auto panel = raw;
      kernel->prepare(panel.data(), shape.rows, shape.inner);
      std::vector<TypeParam> out(raw.size());
      kernel->unpack(panel.data(), shape.rows, shape.inner, out.data());
      EXPECT_EQ(out, raw) << info.name;
    }
  }
}

TYPED_TEST(EveryKernel, AccumulatesFromTheLeft) {
  constexpr Index rows = 61;
  constexpr Index inner = 700;
  const auto raw = random_values<TypeParam>(rows * inner, 4);
  const auto r = random_values<double>(rows, 5);
  for (const KernelInfo& info : kernels()) {
    const auto kernel = make_kernel<TypeParam>(info.name, rows, inner);
    auto panel = raw;
    kernel->prepare(panel.data(), rows, inner);
    std::vector<double> sums(inner, 1.0);
    std::vector<double> squares(inner, 2.0);
    kernel->accumulate_left(panel.data(), rows, inner, {r.data(), 4.0}, {sums.data(), squares.data()});
    for (Index k = 0; k < inner; ++k) {
      double sum = 1;
      double square = 2;
      for (Index i = 0; i < rows; ++i) {
        const double value = raw[static_cast<std::size_t>(i * inner + k)];
        sum += r[static_cast<std::size_t>(i)] * value;
        square += 16 * value * value;
      }
      ASSERT_NEAR(sums[static_cast<std::size_t>(k)], sum, 1e-12) << info.name;
      ASSERT_NEAR(squares[static_cast<std::size_t>(k)], square, 1e-10) << info.name;
    }
  }
}

TYPED_TEST(EveryKernel, ServesSeveralThreadsAtOnce) {
  const Shape shape{130, 270, 20};
  for (const KernelInfo& info : kernels()) {
    const auto kernel = make_kernel<TypeParam>(info.name, shape.rows, shape.inner);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { expect_right_product(*kernel, shape); });
  }
}

TYPED_TEST(EveryKernel, KeepsNaN) {
  const Shape shape{65, 10, 3};
  auto a = random_values<TypeParam>(shape.rows * shape.inner, 6);
  a[3] = std::numeric_limits<TypeParam>::quiet_NaN();
  const auto b = random_values<TypeParam>(shape.inner * shape.columns, 7);
  for (const KernelInfo& info : kernels()) {
    const auto kernel = make_kernel<TypeParam>(info.name, shape.rows, shape.inner);
    MemoryPanels<TypeParam> panels(a, shape.rows, shape.inner, *kernel);
    std::vector<TypeParam> c(static_cast<std::size_t>(shape.rows * shape.columns));
    kernel->multiply(panels, b.data(), c.data(), shape.columns);
    EXPECT_TRUE(std::isnan(c[0])) << info.name;
    EXPECT_FALSE(std::isnan(c[1])) << info.name;
  }
}

TYPED_TEST(EveryKernel, PackedFallsBackToBlas) {
  for (const Shape& shape : edge_shapes()) {
    const PackedKernel<TypeParam> kernel(shape.rows, shape.inner, BlockCode::blas);
    EXPECT_THAT(kernel.note(), ::testing::HasSubstr("BLAS"));
    expect_right_product(kernel, shape);
  }
}

// Small enough for several blocks, slabs and groups in a product of a few columns.
TYPED_TEST(EveryKernel, PackedIsRightInBlocksOfAnyShape) {
  for (const BlockShape& blocks :
       {BlockShape{6, 8, 24, 200}, BlockShape{3, 128, 7, 1}, BlockShape{6, 64, 192, 4096}})
    for (const Shape& shape : edge_shapes())
      expect_right_product(PackedKernel<TypeParam>(shape.rows, shape.inner, BlockCode::generated, blocks),
                           shape);
}

TYPED_TEST(EveryKernel, ReportsItsBlocksIfItHasSome) {
  EXPECT_THAT((PackedKernel<TypeParam>(300, 300, BlockCode::generated, {6, 200, 96, 1 << 20}).blocks()),
              "64 x 6 x 152, at most 96 columns a pass");
  EXPECT_EQ(PackedKernel<TypeParam>(300, 300, BlockCode::blas).blocks(), "");
  EXPECT_EQ(make_kernel<TypeParam>("naive", 300, 300)->blocks(), "");
}

/// Panels that count their requests.
template <class T>
class CountedPanels final : public PanelSource<T> {
 public:
  CountedPanels(MemoryPanels<T>& panels, Index& count) : panels_(panels), count_(count) {}
  Index rows() const override { return panels_.rows(); }
  Index inner() const override { return panels_.inner(); }
  const T* panel(Index index) override { return ++count_, panels_.panel(index); }

 private:
  MemoryPanels<T>& panels_;
  Index& count_;
};

// Some chunks are adjacent and one is empty: only their columns are written, and A is read
// once.
TYPED_TEST(EveryKernel, MultipliesSeveralChunksTogether) {
  const Shape shape{130, 70, 40};
  const auto a = random_values<TypeParam>(shape.rows * shape.inner, 1);
  const auto b = random_values<TypeParam>(shape.inner * shape.columns, 2);
  for (const KernelInfo& info : kernels()) {
    SCOPED_TRACE(info.name);
    const auto kernel = make_kernel<TypeParam>(info.name, shape.rows, shape.inner);
    MemoryPanels<TypeParam> panels(a, shape.rows, shape.inner, *kernel);
    std::vector<TypeParam> whole(static_cast<std::size_t>(shape.rows * shape.columns));
    kernel->multiply(panels, b.data(), whole.data(), shape.columns);

    std::vector<TypeParam> c(whole.size(), TypeParam{-1});
    std::vector<ChunkColumns<TypeParam>> chunks;
    for (const auto& [first, columns] :
         std::vector<std::pair<Index, Index>>{{30, 3}, {33, 5}, {38, 2}, {3, 7}, {9, 0}, {0, 2}})
      chunks.push_back({b.data() + first * shape.inner, c.data() + first * shape.rows, columns});
    Index asked = 0;
    CountedPanels<TypeParam> counted(panels, asked);
    kernel->multiply_together(counted, chunks);
    if (kernel->columns_at_once() > 1) {
      EXPECT_EQ(asked, counted.panels());
    }

    const auto bound = static_cast<TypeParam>(rounding_bound<TypeParam>(shape.inner));
    for (Index j = 0; j < shape.columns; ++j) {
      const bool is_asked_for = j < 2 || (j >= 3 && j < 10) || j >= 30;
      for (Index i = 0; i < shape.rows; ++i) {
        const auto at = static_cast<std::size_t>(j * shape.rows + i);
        ASSERT_NEAR(c[at], is_asked_for ? whole[at] : TypeParam{-1}, bound) << "column " << j;
      }
    }
  }
}

TEST(KernelTable, ListsPackedFirst) {
  std::vector<std::string> names;
  for (const KernelInfo& info : kernels()) names.push_back(info.name);
  EXPECT_THAT(names, ::testing::ElementsAre("packed", "blas", "naive"));
}

TEST(KernelTable, RejectsUnknownNames) {
  try {
    make_kernel<double>("paked", 4, 4);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("'paked'"),
                                               ::testing::HasSubstr("packed, blas, naive")));
  }
}

TEST(KernelTable, RejectsSizesBeyondAnInt) {
  EXPECT_THROW(make_kernel<double>("packed", Index{1} << 31, 1), UsageError);
}

TEST(GeneratedBlock, HasNoCodeForColumnsOutOfReach) {
  EXPECT_FALSE(GeneratedBlock<double>(64, 4, Index{1} << 30).is_available());
  EXPECT_TRUE(GeneratedBlock<double>(64, 0, 64).is_available());
}

TEST(Blas, IsOpenBlasWithOneThread) {
  make_kernel<double>("blas", 4, 4);
  EXPECT_EQ(blas::openblas().library.threads(), 1);
  EXPECT_THAT(blas::openblas().library.description(), ::testing::HasSubstr("OpenBLAS"));
}

}  // namespace
}  // namespace loadshare::matmul
