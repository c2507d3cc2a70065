#include "apps/cannon/matrix_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace loadshare::cannon {
namespace {

std::unique_ptr<NpyFile> open_square(const std::string& path) {
  auto file = std::make_unique<NpyFile>(path);
  if (file->rows() != file->cols())
    throw UsageError(fmt::format("{} is {}", path, shape_text(file->rows(), file->cols())),
                     "cannon multiplies square matrices", "use matmul for others");
  if (file->type() != ElementType::float64)
    throw UsageError(fmt::format("{} is of {}", path, name_of(file->type())), "cannon computes in float64",
                     "save it as float64, or use matmul");
  if (file->rows() == 0) throw UsageError(fmt::format("{} is empty", path), "there is nothing to multiply");
  return file;
}

/// The block of one rank in a matrix that is distributed by rows of ranks.
struct Block {
  spmd::Part rows, columns;

  Block(Index size, int side, int rank)
      : rows(spmd::part_of(size, side, rank / side)), columns(spmd::part_of(size, side, rank % side)) {}
  Index elements() const { return rows.size * columns.size; }
};

std::vector<Index> block_sizes(Index size, int side) {
  std::vector<Index> sizes;
  for (int rank = 0; rank < side * side; ++rank) sizes.push_back(Block(size, side, rank).elements());
  return sizes;
}

/// Returns the blocks of all ranks, one after the other.
std::vector<double> blocks_of(const NpyFile& file, int side) {
  const Index size = file.rows();
  std::vector<double> blocks, band;
  blocks.reserve(static_cast<std::size_t>(size * size));
  for (int rank = 0; rank < side * side; ++rank) {
    const Block block(size, side, rank);
    if (rank % side == 0) {
      band.resize(static_cast<std::size_t>(block.rows.size * size));
      load_rows(file, block.rows.first, block.rows.size, band.data());
    }
    for (Index row = 0; row < block.rows.size; ++row) {
      const double* from = band.data() + row * size + block.columns.first;
      blocks.insert(blocks.end(), from, from + block.columns.size);
    }
  }
  return blocks;
}

/// Returns the matrix of these blocks in column-major order, as files store it.
std::vector<double> column_major(std::span<const double> blocks, Index size, int side) {
  std::vector<double> whole(blocks.size());
  const double* element = blocks.data();
  for (int rank = 0; rank < side * side; ++rank) {
    const Block block(size, side, rank);
    for (Index row = block.rows.first; row < block.rows.end(); ++row)
      for (Index column = block.columns.first; column < block.columns.end(); ++column)
        whole[static_cast<std::size_t>(column * size + row)] = *element++;
  }
  return whole;
}

}  // namespace

MatrixFiles::MatrixFiles(const FileNames& names, spmd::Session& session) : names_(names), session_(session) {
  if (!names_.give_operands()) return;
  session_.on_first([this] {
    a_ = open_square(names_.a);
    b_ = open_square(names_.b);
    check_product(*a_, *b_);
  });
  std::int64_t size = session_.is_first() ? a_->rows() : 0;
  session_.exchange().broadcast(std::span(&size, 1), 0);
  size_ = size;
}

void MatrixFiles::prepare_product(Index size) {
  if (names_.c.empty()) return;
  session_.on_first([&] { c_ = std::make_unique<NpyOutput>(names_.c, ElementType::float64, size, size); });
}

void MatrixFiles::scatter(Operand operand, int side, std::span<double> own) {
  std::vector<double> all;
  session_.on_first([&] { all = blocks_of(operand == Operand::a ? *a_ : *b_, side); });
  session_.exchange().scatter(std::span<const double>(all), block_sizes(*size_, side), own);
}

void MatrixFiles::store_product(Index size, int side, std::span<const double> own) {
  if (names_.c.empty()) return;
  std::vector<double> all(session_.is_first() ? static_cast<std::size_t>(size * size) : 0);
  session_.exchange().gather(own, block_sizes(size, side), std::span(all));
  session_.on_first([&] {
    c_->store_column_major(column_major(all, size, side).data());
    c_->commit();
  });
}

Bytes MatrixFiles::bytes_of_rank_0(Index size) {
  const Bytes matrix = multiply_bytes(static_cast<Bytes>(size), static_cast<Bytes>(size));
  return multiply_bytes(matrix, 2 * sizeof(double));
}

}  // namespace loadshare::cannon
