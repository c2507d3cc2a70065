#include "runtime/host/processor_set.hpp"

#include <algorithm>
#include <bit>

namespace loadshare {
namespace {

constexpr std::size_t bits_a_word = 64;

}  // namespace

ProcessorSet::ProcessorSet(std::span<const int> numbers) {
  for (const int number : numbers) add(number);
}

ProcessorSet ProcessorSet::from_words(std::span<const std::uint64_t> words) {
  ProcessorSet set;
  set.words_.assign(words.begin(), words.end());
  while (!set.words_.empty() && set.words_.back() == 0) set.words_.pop_back();
  return set;
}

void ProcessorSet::add(int number) {
  const auto bit = static_cast<std::size_t>(number);
  words_.resize(std::max(words_.size(), bit / bits_a_word + 1));
  words_[bit / bits_a_word] |= std::uint64_t{1} << bit % bits_a_word;
}

void ProcessorSet::add(const ProcessorSet& others) {
  words_.resize(std::max(words_.size(), others.words_.size()));
  for (std::size_t i = 0; i < others.words_.size(); ++i) words_[i] |= others.words_[i];
}

bool ProcessorSet::intersects(const ProcessorSet& other) const {
  for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i)
    if ((words_[i] & other.words_[i]) != 0) return true;
  return false;
}

int ProcessorSet::count() const {
  int count = 0;
  for (const std::uint64_t word : words_) count += std::popcount(word);
  return count;
}

std::vector<int> ProcessorSet::numbers() const {
  std::vector<int> numbers;
  for (std::size_t bit = 0; bit < bits_a_word * words_.size(); ++bit)
    if ((words_[bit / bits_a_word] >> bit % bits_a_word & 1) != 0) numbers.push_back(static_cast<int>(bit));
  return numbers;
}

}  // namespace loadshare
