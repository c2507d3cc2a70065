#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace loadshare {

/// A set of processor numbers, without a largest number.
class ProcessorSet final {
 public:
  ProcessorSet() = default;
  explicit ProcessorSet(std::span<const int> numbers);
  /// Makes a set of what words() returned, here or in another process.
  static ProcessorSet from_words(std::span<const std::uint64_t> words);

  void add(int number);
  void add(const ProcessorSet& others);
  bool intersects(const ProcessorSet& other) const;
  int count() const;
  std::vector<int> numbers() const;  ///< ascending
  /// Returns one bit per processor.
  std::span<const std::uint64_t> words() const { return words_; }

  bool operator==(const ProcessorSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;  // the last word is not 0
};

}  // namespace loadshare
