#include "runtime/host/page_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace loadshare {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

template <class T>
PageMemory<T>::PageMemory(Index count) : size_(count) {
  if (count == 0) return;
  const std::size_t wanted = static_cast<std::size_t>(count) * sizeof(T);
  // A small area, like the rest of a large one, would waste most of a large page.
  const std::size_t unit = wanted < large_page ? 64 : large_page;
  void* memory = nullptr;
  if (posix_memalign(&memory, unit, wanted) != 0) throw std::bad_alloc();
  memory_.reset(static_cast<T*>(memory));
  advise_large_pages(memory, static_cast<Index>(wanted / large_page * large_page));
}

template <class T>
void PageMemory<T>::Release::operator()(T* memory) const {
  std::free(memory);
}

void advise_large_pages(void* memory, Index bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = rounded_up(address, page);
  const std::uintptr_t end = (address + static_cast<std::uintptr_t>(bytes)) / page * page;
  // A refusal costs speed only.
  if (first < end) static_cast<void>(madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
}

template class PageMemory<std::byte>;
template class PageMemory<double>;
template class PageMemory<float>;

}  // namespace loadshare
