#include "apps/matmul/kernels/generated.hpp"

#include <libxsmm.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>

// libxsmm's tables: the generated code, its descriptors, and each thread's most recent entries. No header
// declares them; if a version has other tables, their memory is not returned.
extern "C" {
[[gnu::weak]] extern void* internal_registry;
[[gnu::weak]] extern void* internal_registry_keys;
[[gnu::weak]] extern void* internal_cache_buffer;
}

namespace loadshare::matmul {
namespace {

bool is_zero(const std::uint64_t* page, std::size_t bytes) {
  return std::all_of(page, page + bytes / sizeof(*page), [](std::uint64_t word) { return word == 0; });
}

/// Returns the pages of one of libxsmm's tables that contain only zeros to the system.
void give_back_zeros(const void* table) {
  libxsmm_malloc_info info{};
  if (table == nullptr || libxsmm_get_malloc_info(table, &info) != EXIT_SUCCESS) return;
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first_byte = reinterpret_cast<std::uintptr_t>(table);
  const std::uintptr_t end = (first_byte + info.size) / page_bytes * page_bytes;
  std::uintptr_t page = (first_byte + page_bytes - 1) / page_bytes * page_bytes;
  // libxsmm locks its memory if permitted. It contains no secret and may be paged out.
  if (page < end) munlock(reinterpret_cast<void*>(page), end - page);
  for (; page < end; page += page_bytes) {
    auto* memory = reinterpret_cast<std::uint64_t*>(page);
    if (is_zero(memory, page_bytes)) madvise(memory, page_bytes, MADV_DONTNEED);
  }
}

/// Starts libxsmm, once per process. Call it before any other function of libxsmm.
///
/// libxsmm clears its whole table of generated code, although a run uses only a few pages of its 10 MiB. With
/// one process per worker that is more than everything else a worker needs, so pages that contain only zeros
/// are returned to the system, which provides zeros again when they are written. No page can be written
/// between the check and the return: only calls of libxsmm write the tables, and all of them follow this
/// function. No byte outside the tables is returned.
void start_code_generator() {
  static std::once_flag once;
  std::call_once(once, [] {
    libxsmm_init();
    for (void* const* table : {&internal_registry, &internal_registry_keys, &internal_cache_buffer})
      if (table != nullptr) give_back_zeros(*table);
  });
}

struct Size {
  int rows;
  int columns;
  int inner;
  int c_stride;
};

constexpr int prefetch_flag(Ahead ahead) {
  return ahead == Ahead::next_block ? LIBXSMM_GEMM_PREFETCH_AL2 : LIBXSMM_GEMM_PREFETCH_NONE;
}

auto dispatch(double, const Size& s, double beta, int prefetch) {
  const double alpha = 1;
  const int flags = LIBXSMM_GEMM_FLAG_NONE;
  return libxsmm_dmmdispatch(s.rows, s.columns, s.inner, &s.rows, &s.inner, &s.c_stride, &alpha, &beta,
                             &flags, &prefetch);
}

auto dispatch(float, const Size& s, float beta, int prefetch) {
  const float alpha = 1;
  const int flags = LIBXSMM_GEMM_FLAG_NONE;
  return libxsmm_smmdispatch(s.rows, s.columns, s.inner, &s.rows, &s.inner, &s.c_stride, &alpha, &beta,
                             &flags, &prefetch);
}

// The generated code addresses the columns of C by 32-bit displacements.
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
    for (const Into into : {Into::overwrite, Into::add})
      for (const Ahead ahead : {Ahead::nothing, Ahead::next_block}) {
        const Code code = dispatch(T{}, size, into == Into::add ? T{1} : T{0}, prefetch_flag(ahead));
        codes_[static_cast<std::size_t>(into)][static_cast<std::size_t>(ahead)]
              [static_cast<std::size_t>(columns)] = code;
        is_available_ = is_available_ && code != nullptr;
      }
  }
}

Index generated_vector_bytes() {
  start_code_generator();
  const int target = libxsmm_get_target_archid();
  return target >= LIBXSMM_X86_AVX512 ? 64 : target >= LIBXSMM_X86_AVX ? 32 : 16;
}

const char* generated_code_version() {
  start_code_generator();
  static const std::string text =
      std::string("libxsmm ") + LIBXSMM_VERSION + " (" + libxsmm_get_target_arch() + ")";
  return text.c_str();
}

template class GeneratedBlock<double>;
template class GeneratedBlock<float>;

}  // namespace loadshare::matmul
