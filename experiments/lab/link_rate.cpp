#include "experiments/lab/link_rate.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace loadshare::lab {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t bits_per_s;
};

constexpr std::array<Unit, 3> units{{{"Gbit/s", 1'000'000'000}, {"Mbit/s", 1'000'000}, {"kbit/s", 1'000}}};

}  // namespace

std::string link_rate_text(std::uint64_t bits_per_s) {
  for (const Unit& unit : units)
    if (bits_per_s >= unit.bits_per_s)
      return fmt::format("{:g} {}", static_cast<double>(bits_per_s) / static_cast<double>(unit.bits_per_s),
                         unit.name);
  return fmt::format("{} bit/s", bits_per_s);
}

}  // namespace loadshare::lab
