#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::lab {

/// A range of IPv4 addresses: those that agree with `address` in the first `prefix` bits.
struct Subnet {
  std::uint32_t address = 0;  ///< the first one, as a number: 10.0.0.1 is 0x0a000001
  int prefix = 24;

  bool operator==(const Subnet&) const = default;
};

bool overlap(const Subnet& a, const Subnet& b);

/// "10.208.0.0/24"
std::string to_text(const Subnet& subnet);

/// The inverse of to_text; nothing for other text.
std::optional<Subnet> parse_subnet(std::string_view text);

/// The address of the n-th machine in it, counted from 1: "10.208.0.1".
std::string address_text(const Subnet& subnet, std::uint32_t n);

/// The ranges in the kernel's table /proc/net/route, without the default route.
std::vector<Subnet> parse_routes(const std::string& table);

/// The first of 10.208.0.0/24 to 10.223.255.0/24 that overlaps none of those taken; nothing when all do.
std::optional<Subnet> free_subnet(std::span<const Subnet> taken);

}  // namespace loadshare::lab
