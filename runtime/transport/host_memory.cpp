#include "runtime/transport/host_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace loadshare {

namespace {
constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, Linux 5.14; older headers lack it
constexpr double mebibyte = 1024.0 * 1024.0;
}  // namespace

int populate(std::span<std::byte> memory) {
  if (memory.empty()) return 0;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(memory.data()) / page * page;
  const auto last = reinterpret_cast<std::uintptr_t>(memory.data()) + memory.size();
  return madvise(reinterpret_cast<void*>(first), last - first, populate_write) == 0 ? 0 : errno;
}

PrivateMemory::PrivateMemory(std::size_t bytes, Pages pages) {
  if (bytes == 0) return;
  const int reserve = pages == Pages::at_once ? 0 : MAP_NORESERVE;
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | reserve, -1, 0);
  if (base == MAP_FAILED)
    throw Error(ExitCode::run_failed,
                fmt::format("no memory for {:.1f} MiB", static_cast<double>(bytes) / mebibyte),
                "the system refused it");
  madvise(base, bytes, MADV_HUGEPAGE);
  bytes_ = {static_cast<std::byte*>(base), bytes};
  if (pages == Pages::at_once) populate(bytes_);
}

PrivateMemory::~PrivateMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

PrivateMemory::PrivateMemory(PrivateMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

}  // namespace loadshare
