#include "apps/matvec/workload.hpp"

#include <algorithm>

#include "apps/matvec/kernel.hpp"

namespace loadshare::matvec {

template <class T>
std::span<const std::byte> MatvecWorkload<T>::input(Chunk chunk) const {
  return std::as_bytes(part_of_chunk<const T>(operands_.a, static_cast<std::size_t>(shape_.inner), chunk));
}

template <class T>
std::span<std::byte> MatvecWorkload<T>::output(Chunk chunk) {
  return std::as_writable_bytes(part_of_chunk(operands_.c, 1, chunk));
}

template <class T>
void MatvecWorkload<T>::compute(Work& work) {
  const std::size_t pieces = (static_cast<std::size_t>(shape_.inner) + piece_elements - 1) / piece_elements;
  T* const y = reinterpret_cast<T*>(work.output().data());
  std::vector<double> sums(static_cast<std::size_t>(work.chunk().size));
  for (Index time = 0; time < repeat_; ++time) {
    std::ranges::fill(sums, 0.0);
    for (std::size_t piece = 0; piece < pieces && !work.is_cancelled(); ++piece) add_piece(piece, work, sums);
    std::ranges::transform(sums, y, [](double sum) { return static_cast<T>(sum); });
    asm volatile(""
                 :
                 :
                 : "memory");  // keeps each repetition: the compiler must assume that its result is read
  }
}

template <class T>
void MatvecWorkload<T>::add_piece(std::size_t piece, Work& work, std::vector<double>& sums) const {
  const std::span<const std::byte> x = work.shared_piece(piece);
  if (work.is_cancelled()) return;  // the piece may be incomplete
  const auto size = static_cast<Index>(x.size() / sizeof(T));
  const T* a = reinterpret_cast<const T*>(work.input().data()) + piece * piece_elements;
  for (double& sum : sums) {
    sum += row_product(a, reinterpret_cast<const T*>(x.data()), size);
    a += shape_.inner;
  }
}

template class MatvecWorkload<float>;
template class MatvecWorkload<double>;

}  // namespace loadshare::matvec
