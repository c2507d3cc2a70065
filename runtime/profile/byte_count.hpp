#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace loadshare::profile {

/// What a number of bytes looks like, for people.
inline constexpr const char* byte_count_form = "it must be a number of bytes: 1000000, 512KiB, 64MiB, 2GiB";

/// The bytes that a text stands for; nothing where it is no such number, or one of more than 2^50.
std::optional<std::uint64_t> byte_count(std::string_view text);

}  // namespace loadshare::profile
