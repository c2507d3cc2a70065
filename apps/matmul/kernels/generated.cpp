#include "apps/matmul/kernels/generated.hpp"

#include <libxsmm.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace loadshare::matmul {
namespace {

/// A range of addresses, in whole pages.
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

bool overlap(const Range& a, const Range& b) {
  return a.begin < b.end && b.begin < a.end;
}

/// This process's private writable memory that belongs to no file, as the system lists it.
std::vector<Range> anonymous_memory() {
  std::vector<Range> ranges;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream in(line);
    Range range;
    char dash = 0;
    std::string permissions, offset, device, inode, name;
    in >> std::hex >> range.begin >> dash >> range.end >> permissions >> offset >> device >> inode >> name;
    if (permissions == "rw-p" && inode == "0" && name.empty()) ranges.push_back(range);
  }
  return ranges;
}

bool is_zero(const std::uint64_t* page, std::size_t bytes) {
  return std::all_of(page, page + bytes / sizeof(*page), [](std::uint64_t word) { return word == 0; });
}

void give_back_zeros(const Range& range) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // libxsmm locks its memory where it may; it is no secret and may be paged like any other.
  munlock(reinterpret_cast<void*>(range.begin), range.end - range.begin);
  for (std::uintptr_t page = range.begin; page < range.end; page += page_bytes) {
    auto* memory = reinterpret_cast<std::uint64_t*>(page);
    if (is_zero(memory, page_bytes)) madvise(memory, page_bytes, MADV_DONTNEED);
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool may_read_any_page = false;  // the sanitizer's own pages come and go too, and are its secret
#else
constexpr bool may_read_any_page = true;
#endif

void start_and_trim() {
  if (!may_read_any_page) return libxsmm_init();
  const std::vector<Range> before = anonymous_memory();
  libxsmm_init();
  for (const Range& range : anonymous_memory())
    if (std::ranges::none_of(before, [&](const Range& old) { return overlap(old, range); }))
      give_back_zeros(range);
}

/// Starts libxsmm, once a process; call it before its first use and before other threads allocate memory.
///
/// libxsmm clears its whole table of generated code, 10 MiB of which a run uses a few pages; with a process a
/// worker that would be more than everything else a worker needs. The pages that hold nothing but zeros are
/// given back to the system, which gives zeros again when they are written.
void start_code_generator() {
  static std::once_flag once;
  std::call_once(once, start_and_trim);
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
  static const std::string text =
      std::string("libxsmm ") + LIBXSMM_VERSION + " (" + libxsmm_get_target_arch() + ")";
  return text.c_str();
}

template class GeneratedBlock<double>;
template class GeneratedBlock<float>;

}  // namespace loadshare::matmul
