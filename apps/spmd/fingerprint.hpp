#pragma once

#include <cstdint>
#include <string>

namespace loadshare::spmd {

/// What tells one multiset of keys from another, in whatever order they are: how many, and the sums of two
/// hashes of each. Others have the same by chance once in 2^128.
struct Fingerprint {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  void add(std::uint64_t key);
  Fingerprint& operator+=(const Fingerprint& other);
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// How sorted keys differ from those that were to be sorted, in words; empty where they do not.
std::string difference_between(const Fingerprint& before, const Fingerprint& after);

}  // namespace loadshare::spmd
