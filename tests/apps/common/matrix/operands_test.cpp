#include "apps/common/matrix/operands.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/apps/common/files.hpp"

namespace loadshare {
namespace {

using test::error_of;
using test::TemporaryDirectory;

struct Shape {
  Index rows, cols;
};

std::size_t size_of(Shape shape) {
  return static_cast<std::size_t>(shape.rows * shape.cols);
}

template <class T>
T value(Index row, Index col) {
  return static_cast<T>(row * 4096 + col);
}

template <class T>
std::vector<T> column_major(Shape shape) {
  std::vector<T> result;
  for (Index col = 0; col < shape.cols; ++col)
    for (Index row = 0; row < shape.rows; ++row) result.push_back(value<T>(row, col));
  return result;
}

template <class T>
std::vector<T> row_major(Shape shape) {
  std::vector<T> result;
  for (Index row = 0; row < shape.rows; ++row)
    for (Index col = 0; col < shape.cols; ++col) result.push_back(value<T>(row, col));
  return result;
}

template <class T>
class LoadAndStore : public testing::Test {
 protected:
  std::string store(Shape shape, StorageOrder order, Index columns_at_a_time) {
    const std::string path = directory_ / "M.npy";
    NpyOutput file(path, element_type<T>, shape.rows, shape.cols, order);
    const auto matrix = column_major<T>(shape);
    for (Index col = 0; col < shape.cols; col += columns_at_a_time)
      file.store_columns(col, std::min(columns_at_a_time, shape.cols - col),
                         matrix.data() + col * shape.rows);
    file.commit();
    return path;
  }
  TemporaryDirectory directory_;
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(LoadAndStore, Types);

constexpr Shape shapes[] = {{0, 0},   {0, 5},   {5, 0},   {1, 1},     {1, 300},   {300, 1},
                            {32, 32}, {64, 96}, {33, 31}, {129, 257}, {1000, 777}};

TYPED_TEST(LoadAndStore, KeepsEveryElementFromEitherOrder) {
  for (const Shape shape : shapes) {
    for (const StorageOrder order : {StorageOrder::c, StorageOrder::fortran}) {
      const NpyFile file(this->store(shape, order, 1000));
      std::vector<TypeParam> out(size_of(shape));
      load_rows(file, 0, file.rows(), out.data());
      EXPECT_EQ(out, row_major<TypeParam>(shape)) << shape_text(shape.rows, shape.cols);
      load_column_major(file, out.data());
      EXPECT_EQ(out, column_major<TypeParam>(shape)) << shape_text(shape.rows, shape.cols);
    }
  }
}

TYPED_TEST(LoadAndStore, WorksByPartsOfAnySize) {
  const Shape shape{101, 203};
  for (const StorageOrder order : {StorageOrder::c, StorageOrder::fortran}) {
    for (const Index part : {1, 7, 64, 500}) {
      const NpyFile file(this->store(shape, order, part));
      std::vector<TypeParam> rows(size_of(shape)), columns(size_of(shape));
      for (Index at = 0; at < shape.rows; at += part)
        load_rows(file, at, std::min(part, shape.rows - at), rows.data() + at * shape.cols);
      for (Index at = 0; at < shape.cols; at += part)
        load_columns(file, at, std::min(part, shape.cols - at), columns.data() + at * shape.rows);
      EXPECT_EQ(rows, row_major<TypeParam>(shape)) << part;
      EXPECT_EQ(columns, column_major<TypeParam>(shape)) << part;
    }
  }
}

TYPED_TEST(LoadAndStore, WorksFromSeveralThreadsAtOnce) {
  const Shape shape{1024, 1500};
  const NpyFile file(this->store(shape, StorageOrder::fortran, 1500));
  std::vector<TypeParam> rows(size_of(shape));
  std::vector<std::jthread> threads;
  for (Index first = 0; first < shape.rows; first += 256)
    threads.emplace_back([&, first] { load_rows(file, first, 256, rows.data() + first * shape.cols); });
  threads.clear();
  EXPECT_EQ(rows, row_major<TypeParam>(shape));
}

TYPED_TEST(LoadAndStore, RefusesTheWrongType) {
  const NpyFile file(this->store({2, 2}, StorageOrder::c, 2));
  using Other = std::conditional_t<std::is_same_v<TypeParam, float>, double, float>;
  Other out[4];
  EXPECT_THROW(load_rows(file, 0, file.rows(), out), std::logic_error);
}

TEST(Loading, AcceptsDataAtAnyOffset) {
  const TemporaryDirectory directory;
  const std::string literal = "{'descr': '<f8', 'fortran_order': False, 'shape': (40, 50)}";
  const auto matrix = row_major<double>({40, 50});
  for (std::size_t padding = 0; padding < 8; ++padding) {
    std::string content("\x93NUMPY\x01\x00", 8);
    content += {static_cast<char>(literal.size() + padding), 0};
    content += literal + std::string(padding, ' ');
    content.append(reinterpret_cast<const char*>(matrix.data()), matrix.size() * sizeof(double));
    test::write_file(directory / "M.npy", content);
    const NpyFile file(directory / "M.npy");
    std::vector<double> out(matrix.size());
    load_rows(file, 0, file.rows(), out.data());
    EXPECT_EQ(out, matrix);
    load_column_major(file, out.data());
    EXPECT_EQ(out, column_major<double>({40, 50}));
  }
}

/// Resident pages that belong to files, in bytes.
Index resident_file_bytes() {
  std::ifstream file("/proc/self/statm");
  Index total = 0, resident = 0, shared = 0;
  file >> total >> resident >> shared;
  return shared * ::sysconf(_SC_PAGESIZE);
}

TEST(Loading, LeavesNoPagesOfTheFileInMemory) {
  const TemporaryDirectory directory;
  const Index n = 2048;  // 32 MiB
  std::vector<double> matrix(static_cast<std::size_t>(n * n), 1.0);
  const Index before = resident_file_bytes();
  for (const StorageOrder order : {StorageOrder::c, StorageOrder::fortran}) {
    NpyOutput output(directory / "M.npy", ElementType::float64, n, n, order);
    output.store_column_major(matrix.data());
    EXPECT_LT(resident_file_bytes() - before, 8 << 20);
    output.commit();
    const NpyFile file(directory / "M.npy");
    load_rows(file, 0, file.rows(), matrix.data());
    load_column_major(file, matrix.data());
    for (Index row = 0; row < n; row += 64) load_rows(file, row, 64, matrix.data());
    EXPECT_LT(resident_file_bytes() - before, 8 << 20);
  }
}

class CheckProduct : public testing::Test {
 protected:
  NpyFile matrix(const char* name, Shape shape, ElementType type = ElementType::float64) {
    NpyOutput(directory_ / name, type, shape.rows, shape.cols).commit();
    return NpyFile(directory_ / name);
  }
  std::string error(Shape a, Shape b) {
    return error_of([&] { check_product(matrix("A.npy", a), matrix("B.npy", b)); }, directory_.path());
  }
  TemporaryDirectory directory_;
};

TEST_F(CheckProduct, AcceptsMatchingMatrices) {
  EXPECT_EQ(error({3, 4}, {4, 5}), "no error");
  EXPECT_EQ(error({3, 0}, {0, 5}), "no error");
  EXPECT_EQ(error({0, 4}, {4, 0}), "no error");
}

TEST_F(CheckProduct, NamesTheMismatchAndTheRightSize) {
  EXPECT_EQ(error({3, 4}, {5, 6}),
            "cannot multiply A.npy by B.npy (3 x 4 by 5 x 6: the inner dimensions 4 and 5 differ)");
  EXPECT_EQ(
      error({5, 4}, {5, 6}),
      "cannot multiply A.npy by B.npy (5 x 4 by 5 x 6: the inner dimensions 4 and 5 differ); A.npy would fit "
      "transposed");
  EXPECT_EQ(
      error({3, 4}, {5, 4}),
      "cannot multiply A.npy by B.npy (3 x 4 by 5 x 4: the inner dimensions 4 and 5 differ); B.npy would fit "
      "transposed");
  EXPECT_EQ(error({6, 4}, {5, 6}),
            "cannot multiply A.npy by B.npy (6 x 4 by 5 x 6: the inner dimensions 4 and 5 differ); in the "
            "other order they would fit");
}

TEST_F(CheckProduct, WantsOneType) {
  const NpyFile a = matrix("A.npy", {3, 4}, ElementType::float32), b = matrix("B.npy", {4, 5});
  EXPECT_EQ(
      error_of([&] { check_product(a, b); }, directory_.path()),
      "cannot multiply A.npy by B.npy (one is float32, the other float64); convert one of them with astype");
}

}  // namespace
}  // namespace loadshare
