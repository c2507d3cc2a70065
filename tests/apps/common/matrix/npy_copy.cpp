// npy_copy IN OUT rows|columns c|fortran PART: loads IN by PART rows or columns at a time and stores it in an
// order.
#include <cstdio>
#include <string>
#include <vector>

#include "apps/common/matrix/operands.hpp"
#include "base/error.hpp"

namespace {

using namespace loadshare;

template <class T>
std::vector<T> by_rows(const NpyFile& file, Index part) {
  std::vector<T> rows(static_cast<std::size_t>(file.rows() * file.cols())), columns(rows.size());
  for (Index at = 0; at < file.rows(); at += part)
    load_rows(file, at, std::min(part, file.rows() - at), rows.data() + at * file.cols());
  for (Index row = 0; row < file.rows(); ++row)
    for (Index col = 0; col < file.cols(); ++col)
      columns[static_cast<std::size_t>(col * file.rows() + row)] =
          rows[static_cast<std::size_t>(row * file.cols() + col)];
  return columns;
}

template <class T>
std::vector<T> by_columns(const NpyFile& file, Index part) {
  std::vector<T> columns(static_cast<std::size_t>(file.rows() * file.cols()));
  for (Index at = 0; at < file.cols(); at += part)
    load_columns(file, at, std::min(part, file.cols() - at), columns.data() + at * file.rows());
  return columns;
}

template <class T>
void copy(const NpyFile& from, NpyOutput& to, const std::string& way, Index part) {
  const std::vector<T> matrix = way == "rows" ? by_rows<T>(from, part) : by_columns<T>(from, part);
  to.store_column_major(matrix.data());
  to.commit();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return static_cast<int>(ExitCode::usage);
  try {
    const NpyFile from(argv[1]);
    const StorageOrder order = std::string(argv[4]) == "c" ? StorageOrder::c : StorageOrder::fortran;
    NpyOutput to(argv[2], from.type(), from.rows(), from.cols(), order);
    const Index part = std::stoll(argv[5]);
    from.type() == ElementType::float32 ? copy<float>(from, to, argv[3], part)
                                        : copy<double>(from, to, argv[3], part);
  } catch (const Error& error) {
    std::fprintf(stderr, "npy_copy: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
