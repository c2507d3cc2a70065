#include "runtime/host/page_memory.hpp"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace loadshare {
namespace {

template <class T>
bool is_aligned(const PageMemory<T>& memory, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(memory.data()) % alignment == 0;
}

TEST(PageMemory, IsAlignedToLinesAndLargePages) {
  EXPECT_TRUE(is_aligned(PageMemory<double>(3), 64));
  EXPECT_TRUE(is_aligned(PageMemory<float>(600'001), std::uintptr_t{2} << 20));
}

TEST(PageMemory, HoldsItsElements) {
  PageMemory<double> memory(300'000);
  ASSERT_EQ(memory.size(), 300'000);
  memory.data()[0] = 1;
  memory.data()[299'999] = 2;
  EXPECT_EQ(memory.data()[0] + memory.data()[299'999], 3);
}

TEST(PageMemory, MayBeEmpty) {
  EXPECT_EQ(PageMemory<double>().data(), nullptr);
  EXPECT_EQ(PageMemory<double>(0).size(), 0);
}

constexpr std::size_t page = 4096;

/// Newly mapped pages, which were never accessed.
class Pages {
 public:
  explicit Pages(std::size_t count)
      : bytes_(count * page),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Pages() { munmap(memory_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  char* data() { return static_cast<char*>(memory_); }

  /// Returns the numbers of the pages that the kernel may make part of large ones ("hg").
  std::vector<std::size_t> advised() const {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_);
    std::vector<std::size_t> numbers;
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    std::ifstream maps("/proc/self/smaps");
    for (std::string line; std::getline(maps, line);) {
      std::istringstream words(line);
      char dash = 0;
      if (line.starts_with("VmFlags:") && line.find(" hg") != line.npos) {
        for (std::size_t number = 0; number < bytes_ / page; ++number)
          if (begin + number * page >= from && begin + number * page < to) numbers.push_back(number);
      } else if (std::uintptr_t first = 0, end = 0;
                 words >> std::hex >> first >> dash >> end && dash == '-') {
        from = first;
        to = end;
      }
    }
    return numbers;
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// Pages that are partly outside the range may belong to other memory.
TEST(AdviseLargePages, AdvisesOnlyWholePagesOfTheRange) {
  if (sysconf(_SC_PAGESIZE) != page || !std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
    GTEST_SKIP() << "no large pages here, or other small ones";
  using testing::ElementsAre;
  using testing::IsEmpty;
  Pages pages(8);
  advise_large_pages(pages.data(), 0);
  advise_large_pages(pages.data() + 100, 100);
  advise_large_pages(pages.data() + 1, page);
  advise_large_pages(nullptr, 0);
  EXPECT_THAT(pages.advised(), IsEmpty());
  advise_large_pages(pages.data() + 100, 3 * page);
  EXPECT_THAT(pages.advised(), ElementsAre(1, 2));
  advise_large_pages(pages.data() + 5 * page, 2 * page);
  EXPECT_THAT(pages.advised(), ElementsAre(1, 2, 5, 6));
}

}  // namespace
}  // namespace loadshare
