#include "apps/matmul/inputs.hpp"

#include "apps/common/matrix/generate.hpp"

namespace loadshare::matmul {

Inputs::Inputs(const MatmulOptions& options)
    : seed_(static_cast<std::uint64_t>(options.seed)),
      shape_{options.rows, options.inner, options.columns, options.type} {
  if (!options.has_files()) return;
  a_.emplace(options.a_file);
  b_.emplace(options.b_file);
  check_product(*a_, *b_);
  shape_ = {a_->rows(), a_->cols(), b_->cols(), a_->type()};
}

template <class T>
void Inputs::fill(const Matrices<T>& matrices) const {
  if (a_) {
    load_row_major(*a_, matrices.a.data());
    load_column_major(*b_, matrices.b.data());
    return;
  }
  generate_rows<T>({seed_, 0}, 0, shape_.rows, shape_.inner, matrices.a.data());
  generate_columns<T>({seed_, 1}, 0, shape_.inner, shape_.columns, matrices.b.data());
}

template void Inputs::fill(const Matrices<float>&) const;
template void Inputs::fill(const Matrices<double>&) const;

}  // namespace loadshare::matmul
