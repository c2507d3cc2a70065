#include "apps/matvec/inputs.hpp"

#include <fmt/format.h>

#include "apps/common/matrix/generate.hpp"
#include "schedulers/error.hpp"

namespace loadshare::matvec {
namespace {

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
