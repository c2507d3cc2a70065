#include "tests/schedulers/sequence.hpp"

#include <sstream>

#include "base/error.hpp"

namespace loadshare::test {

Sizes sequence(std::string_view spec, const LoopFacts& loop) {
  const auto scheduler = built_in_schedulers().make(spec, loop);
  Sizes sizes;
  Index remaining = loop.iterations;
  for (std::uint32_t turn = 0; remaining > 0; ++turn) {
    const auto worker = WorkerId{turn % static_cast<std::uint32_t>(loop.workers)};
    const Index size = test::next_size(*scheduler, worker, remaining);
    sizes.push_back(size);
    if (size < 1) break;  // would never end; the caller sees the bad size
    remaining -= size;
  }
  return sizes;
}

Sizes read_sizes(const std::string& text) {
  Sizes sizes;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto times = word.find('x');
    const auto count = times == std::string::npos ? 1 : std::stoul(word.substr(times + 1));
    sizes.insert(sizes.end(), count, std::stoll(word));
  }
  return sizes;
}

std::string error_of(std::string_view spec, const LoopFacts& loop) {
  try {
    built_in_schedulers().make(spec, loop);
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace loadshare::test
