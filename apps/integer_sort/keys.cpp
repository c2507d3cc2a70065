#include "apps/integer_sort/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/names.hpp"

namespace loadshare::integer_sort {
namespace {

constexpr Index power_of_two(int exponent) {
  return Index{1} << exponent;
}

constexpr std::array table{
    ProblemClass{"S",
                 "2^16 keys below 2^11, to try it out",
                 power_of_two(16),
                 power_of_two(11),
                 power_of_two(9),
                 {{{48427, 0, 1}, {17148, 18, 1}, {23627, 346, 1}, {62548, 64917, -1}, {4431, 65463, -1}}}},
    ProblemClass{"W",
                 "2^20 keys below 2^16",
                 power_of_two(20),
                 power_of_two(16),
                 power_of_two(10),
                 {{{357773, 1249, 1, 2},
                   {934767, 11698, 1, 2},
                   {875723, 1039987, -1},
                   {898999, 1043896, -1},
                   {404505, 1048018, -1}}}},
    ProblemClass{"A",
                 "2^23 keys below 2^19",
                 power_of_two(23),
                 power_of_two(19),
                 power_of_two(10),
                 {{{2112377, 104, 1, 1},
                   {662041, 17523, 1, 1},
                   {5336171, 123928, 1, 1},
                   {3642833, 8288932, -1, 1},
                   {4250760, 8388264, -1, 1}}}},
    ProblemClass{"B",
                 "2^25 keys below 2^21",
                 power_of_two(25),
                 power_of_two(21),
                 power_of_two(10),
                 {{{41869, 33422937, -1},
                   {812306, 10244, 1},
                   {5102857, 59149, 1},
                   {18232239, 33135281, -1},
                   {26860214, 99, 1}}}},
    ProblemClass{"C",
                 "2^27 keys below 2^23",
                 power_of_two(27),
                 power_of_two(23),
                 power_of_two(10),
                 {{{44172927, 61147, 1},
                   {72999161, 882988, 1},
                   {74326391, 266290, 1},
                   {129606274, 133997595, -1},
                   {21736814, 133525895, -1}}}},
};

constexpr int least_exponent = 13;
constexpr std::array size_names{"2^13", "2^14", "2^15", "2^16", "2^17", "2^18", "2^19", "2^20",
                                "2^21", "2^22", "2^23", "2^24", "2^25", "2^26", "2^27"};

constexpr std::array sizes = [] {
  std::array<ProblemClass, size_names.size()> made{};
  for (std::size_t i = 0; i < made.size(); ++i) {
    const int exponent = least_exponent + static_cast<int>(i);
    const Index max_key = power_of_two(exponent - 4);
    made[i] = {size_names[i], "", power_of_two(exponent), max_key, std::min(max_key, power_of_two(10)), {},
               false};
  }
  return made;
}();

/// Computes the power modulo 2^64, and so modulo 2^46.
std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace

std::span<const ProblemClass> problem_classes() {
  return table;
}

const ProblemClass& find_class(const std::string& name) {
  for (const ProblemClass& size : sizes)
    if (size.name == name) return size;
  if (name.starts_with("2^"))
    throw UsageError(fmt::format("--class is '{}'", name),
                     fmt::format("it can be {} to {}", sizes.front().name, sizes.back().name));
  return row_named("--class", name, table);
}

void require_ranks(const ProblemClass& problem, int ranks) {
  const auto below = std::bit_floor(static_cast<unsigned>(ranks));
  if (ranks > problem.buckets)
    throw UsageError(fmt::format("class {} has {} buckets of keys", problem.name, problem.buckets),
                     fmt::format("some of the {} ranks would never get a key", ranks),
                     fmt::format("use at most {}", problem.buckets));
  if (below != static_cast<unsigned>(ranks))
    throw UsageError("integer_sort needs a power of two as its number of ranks",
                     fmt::format("{} is not one", ranks), fmt::format("use {} or {}", below, 2 * below));
}

Generator::Generator(std::uint64_t skipped) : x_(seed * power(factor, skipped) & mask) {}

KeySequence::KeySequence(const ProblemClass& problem, Index first_place)
    : numbers_(static_cast<std::uint64_t>(first_place) * numbers_a_key),
      shift_(Generator::bits -
             std::countr_zero(static_cast<std::uint64_t>(problem.max_key / numbers_a_key))) {}

void make_keys(const ProblemClass& problem, Index first, std::span<Key> out) {
  KeySequence keys(problem, first);
  std::ranges::generate(out, [&] { return keys.next(); });
}

Key altered(const ProblemClass& problem, Index place, Key key) {
  if (place < 1 || place > 2 * iterations) return key;
  return static_cast<Key>(place <= iterations ? place : problem.max_key - (place - iterations));
}

void alter(const ProblemClass& problem, Index iteration, std::span<Key> keys) {
  for (const Index place : {iteration, iteration + iterations}) {
    Key& key = keys[static_cast<std::size_t>(place)];
    key = altered(problem, place, key);
  }
}

}  // namespace loadshare::integer_sort
