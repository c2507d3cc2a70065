#include "runtime/profile/byte_count.hpp"

#include <charconv>
#include <utility>

namespace loadshare::profile {

std::optional<std::uint64_t> byte_count(std::string_view text) {
  int shift = 0;
  for (const auto& [unit, by] : {std::pair{std::string_view("KiB"), 10}, {"MiB", 20}, {"GiB", 30}})
    if (text.ends_with(unit)) {
      shift = by;
      text.remove_suffix(unit.size());
      break;
    }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  if (error != std::errc{} || end != text.data() + text.size() || number > most >> shift) return std::nullopt;
  return number << shift;
}

}  // namespace loadshare::profile
