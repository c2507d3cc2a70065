#include "apps/matmul/kernels/generated.hpp"

#include <libxsmm.h>

#include <limits>
#include <string>

#include "apps/matmul/kernels/code_generator.hpp"

namespace loadshare::matmul {
namespace {

struct Size {
  int rows;
  int columns;
  int inner;
  int c_stride;
};

auto dispatch(double, const Size& s, double beta) {
  const double alpha = 1;
  const int flags = LIBXSMM_GEMM_FLAG_NONE;
  const int prefetch = LIBXSMM_GEMM_PREFETCH_AL2;
  return libxsmm_dmmdispatch(s.rows, s.columns, s.inner, &s.rows, &s.inner, &s.c_stride, &alpha, &beta,
                             &flags, &prefetch);
}

auto dispatch(float, const Size& s, float beta) {
  const float alpha = 1;
  const int flags = LIBXSMM_GEMM_FLAG_NONE;
  const int prefetch = LIBXSMM_GEMM_PREFETCH_AL2;
  return libxsmm_smmdispatch(s.rows, s.columns, s.inner, &s.rows, &s.inner, &s.c_stride, &alpha, &beta,
                             &flags, &prefetch);
}

// The generated code reaches the columns of C by 32-bit displacements.
template <class T>
bool is_within_reach(Index c_stride) {
  constexpr Index reach = std::numeric_limits<std::int32_t>::max();
  return c_stride <= reach / static_cast<Index>(sizeof(T)) / (GeneratedBlock<T>::widest + 1);
}

}  // namespace

template <class T>
GeneratedBlock<T>::GeneratedBlock(Index rows, Index inner, Index c_stride) {
  if (rows == 0 || inner == 0) return;
  if (!is_within_reach<T>(c_stride)) {
    is_available_ = false;
    return;
  }
  start_code_generator();
  for (Index columns = 1; columns <= widest; ++columns) {
    const Size size{static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(inner),
                    static_cast<int>(c_stride)};
    for (const Into into : {Into::overwrite, Into::add}) {
      const Code code = dispatch(T{}, size, into == Into::add ? T{1} : T{0});
      codes_[static_cast<std::size_t>(into)][static_cast<std::size_t>(columns)] = code;
      is_available_ = is_available_ && code != nullptr;
    }
  }
}

const char* generated_code_version() {
  static const std::string text =
      std::string("libxsmm ") + LIBXSMM_VERSION + " (" + libxsmm_get_target_arch() + ")";
  return text.c_str();
}

template class GeneratedBlock<double>;
template class GeneratedBlock<float>;

}  // namespace loadshare::matmul
