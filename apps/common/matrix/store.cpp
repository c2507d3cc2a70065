#include "apps/common/matrix/store.hpp"

#include <algorithm>
#include <stdexcept>

#include "apps/common/matrix/pieces.hpp"
#include "apps/common/matrix/transpose.hpp"

namespace loadshare {
namespace {

NpyHeader with_offset(NpyHeader header) {
  header.data_offset = format_npy_header(header).size();
  return header;
}

}  // namespace

NpyOutput::NpyOutput(const std::string& path, const NpyHeader& form)
    : header_(with_offset(form)), file_(path, add_bytes(header_.data_offset, header_.data_bytes())) {
  std::ranges::copy(format_npy_header(header_), reinterpret_cast<char*>(file_.data()));
}

template <class T>
void NpyOutput::store_columns(Index first, Index count, const T* in) {
  if (header_.type != element_type<T>)
    throw std::logic_error(file_.path() + " takes " + name_of(header_.type));
  const Index rows = header_.rows, cols = header_.cols;
  if (rows == 0 || count == 0) return;
  if (header_.order == StorageOrder::fortran) {
    for_each_piece(count, rows * Index{sizeof(T)}, [&](Index at, Index columns) {
      std::copy_n(in + at * rows, columns * rows, element<T>((first + at) * rows));
      written<T>((first + at) * rows, columns * rows);
    });
  } else {
    for_each_piece(rows, cols * Index{sizeof(T)}, [&](Index at, Index lines) {
      transpose(in + at, rows, count, lines, element<T>(at * cols + first), cols);
      written<T>(at * cols + first, (lines - 1) * cols + count);
    });
  }
}

template void NpyOutput::store_columns(Index, Index, const float*);
template void NpyOutput::store_columns(Index, Index, const double*);

}  // namespace loadshare
