#include "apps/matvec/workload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/common/matrix/generate.hpp"
#include "apps/matvec/kernel.hpp"
#include "base/error.hpp"

namespace loadshare::matvec {
namespace {

template <class Values>
Values part(Values all, Index each, Chunk chunk) {
  if (all.empty()) return {};
  return all.subspan(static_cast<std::size_t>(chunk.first * each),
                     static_cast<std::size_t>(chunk.size * each));
}

[[noreturn]] void refuse(const NpyFile& a, const NpyFile& x, const std::string& why,
                         std::string_view suggestion) {
  throw UsageError(fmt::format("cannot multiply {} by {}", a.path(), x.path()), why, suggestion);
}

void check_operands(const NpyFile& a, const NpyFile& x) {
  if (x.cols() != 1)
    refuse(a, x, fmt::format("{} is {}, not one column", x.path(), shape_text(x.rows(), x.cols())),
           x.rows() == 1 ? "save it as x.ravel()" : "matmul multiplies matrices");
  if (a.type() != x.type())
    refuse(a, x, fmt::format("one is {}, the other {}", name_of(a.type()), name_of(x.type())),
           "convert one of them with astype");
  if (a.cols() != x.rows())
    refuse(a, x, fmt::format("the matrix has {} columns, the vector {} elements", a.cols(), x.rows()),
           a.rows() == x.rows() ? "the matrix would fit transposed" : "");
}

}  // namespace

template <class T>
std::span<const std::byte> MatvecWorkload<T>::input(Chunk chunk) const {
  return std::as_bytes(part(std::span<const T>(operands_.a), shape_.columns, chunk));
}

template <class T>
std::span<std::byte> MatvecWorkload<T>::output(Chunk chunk) {
  return std::as_writable_bytes(part(operands_.y, 1, chunk));
}

template <class T>
void MatvecWorkload<T>::compute(Work& work) {
  const std::size_t pieces = (static_cast<std::size_t>(shape_.columns) + piece_elements - 1) / piece_elements;
  T* const y = reinterpret_cast<T*>(work.output().data());
  std::vector<double> sums(static_cast<std::size_t>(work.chunk().size));
  for (Index time = 0; time < repeat_; ++time) {
    std::ranges::fill(sums, 0.0);
    for (std::size_t piece = 0; piece < pieces && !work.is_cancelled(); ++piece) add_piece(piece, work, sums);
    std::ranges::transform(sums, y, [](double sum) { return static_cast<T>(sum); });
    asm volatile("" : : : "memory");  // somebody may read each result: none of them can be left out
  }
}

template <class T>
void MatvecWorkload<T>::add_piece(std::size_t piece, Work& work, std::vector<double>& sums) const {
  const std::span<const std::byte> x = work.shared_piece(piece);
  if (work.is_cancelled()) return;  // somebody may still be writing it
  const auto size = static_cast<Index>(x.size() / sizeof(T));
  const T* a = reinterpret_cast<const T*>(work.input().data()) + piece * piece_elements;
  for (double& sum : sums) {
    sum += row_product(a, reinterpret_cast<const T*>(x.data()), size);
    a += shape_.columns;
  }
}

template class MatvecWorkload<float>;
template class MatvecWorkload<double>;

Inputs::Inputs(const MatvecOptions& options)
    : seed_(static_cast<std::uint64_t>(options.seed)), shape_{options.rows, options.columns, options.type} {
  if (!options.has_files()) return;
  a_.emplace(options.a_file);
  x_.emplace(options.x_file, Dimensions::one_or_two);
  check_operands(*a_, *x_);
  shape_ = {a_->rows(), a_->cols(), a_->type()};
}

NpyHeader Inputs::result_form() const {
  const bool is_vector = !x_ || x_->header().is_vector;
  return {shape_.type, StorageOrder::fortran, shape_.rows, 1, 0, is_vector};
}

template <class T>
void Inputs::fill(const Operands<T>& operands) const {
  if (a_) {
    load_row_major(*a_, operands.a.data());
    load_column_major(*x_, operands.x.data());
    return;
  }
  generate_rows<T>({seed_, 0}, 0, shape_.rows, shape_.columns, operands.a.data());
  generate_columns<T>({seed_, 1}, 0, shape_.columns, 1, operands.x.data());
}

template void Inputs::fill(const Operands<float>&) const;
template void Inputs::fill(const Operands<double>&) const;

}  // namespace loadshare::matvec
