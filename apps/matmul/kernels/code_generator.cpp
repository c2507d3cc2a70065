#include "apps/matmul/kernels/code_generator.hpp"

#include <libxsmm.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
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

}  // namespace

void start_code_generator() {
  static std::once_flag once;
  std::call_once(once, start_and_trim);
}

}  // namespace loadshare::matmul
