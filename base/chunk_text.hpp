#pragma once

#include <string>
#include <string_view>

#include "base/types.hpp"

namespace loadshare {

/// Returns the numbers of a chunk's iterations: `777`, `777-780`.
inline std::string numbers_text(const Chunk& chunk) {
  const std::string first = std::to_string(chunk.first);
  return chunk.size > 1 ? first + "-" + std::to_string(chunk.end() - 1) : first;
}

/// Returns these numbers after the application's word for iterations: `column 777`, `columns 777-780`.
inline std::string chunk_text(std::string_view iterations, const Chunk& chunk) {
  const bool is_one = chunk.size <= 1 && iterations.ends_with('s');
  return std::string(iterations.substr(0, iterations.size() - (is_one ? 1 : 0))) + " " + numbers_text(chunk);
}

}  // namespace loadshare
