#include "experiments/lab/subnet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <sstream>

namespace loadshare::lab {
namespace {

constexpr std::uint32_t first_candidate = 0x0ad00000;  // 10.208.0.0
constexpr std::uint32_t last_candidate = 0x0adfff00;   // 10.223.255.0
constexpr std::uint32_t step = 0x100;

std::uint32_t mask_of(int prefix) {
  return prefix == 0 ? 0 : ~std::uint32_t{0} << (32 - prefix);
}

std::string dotted(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}

/// The kernel prints addresses as hexadecimal numbers with the first byte last.
std::uint32_t swapped(std::uint32_t value) {
  return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}

/// Takes a number off the front of `text`, and `end` behind it.
std::optional<std::uint32_t> take_number(std::string_view& text, std::string_view end, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value > most) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (!text.starts_with(end)) return std::nullopt;
  text.remove_prefix(end.size());
  return value;
}

}  // namespace

bool overlap(const Subnet& a, const Subnet& b) {
  const std::uint32_t mask = mask_of(std::min(a.prefix, b.prefix));
  return (a.address & mask) == (b.address & mask);
}

std::string to_text(const Subnet& subnet) {
  return fmt::format("{}/{}", dotted(subnet.address), subnet.prefix);
}

std::optional<Subnet> parse_subnet(std::string_view text) {
  Subnet subnet{};
  for (const std::string_view end : {".", ".", ".", "/"}) {
    const auto byte = take_number(text, end, 255);
    if (!byte) return std::nullopt;
    subnet.address = subnet.address << 8 | *byte;
  }
  const auto prefix = take_number(text, "", 32);
  if (!prefix || !text.empty()) return std::nullopt;
  subnet.prefix = static_cast<int>(*prefix);
  return subnet;
}

std::string address_text(const Subnet& subnet, std::uint32_t n) {
  return dotted(subnet.address + n);
}

std::vector<Subnet> parse_routes(const std::string& table) {
  std::vector<Subnet> subnets;
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);  // the columns' names
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string interface, flags, count, use, metric;
    std::uint32_t destination = 0, gateway = 0, mask = 0;
    fields >> interface >> std::hex >> destination >> gateway >> flags >> count >> use >> metric >> mask;
    if (fields && mask != 0) subnets.push_back({swapped(destination), std::popcount(mask)});
  }
  return subnets;
}

std::optional<Subnet> free_subnet(std::span<const Subnet> taken) {
  for (std::uint32_t address = first_candidate; address <= last_candidate; address += step) {
    const Subnet candidate{address, 24};
    if (std::ranges::none_of(taken, [&](const Subnet& other) { return overlap(candidate, other); }))
      return candidate;
  }
  return std::nullopt;
}

}  // namespace loadshare::lab
