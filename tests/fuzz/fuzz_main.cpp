// libFuzzer's entry to one target; libFuzzer provides main().
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadshare::fuzz;
  static const Target& target = *std::ranges::find(targets(), LOADSHARE_FUZZ_TARGET, &Target::name);
  target.read({data, size});
  return 0;
}
