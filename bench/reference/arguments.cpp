#include "bench/reference/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::bench {

namespace {

std::vector<std::string> names_of(const Arguments::Defaults& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

}  // namespace

Arguments::Arguments(int argc, const char* const* argv, Defaults defaults) : values_(std::move(defaults)) {
  const std::vector<std::string> names = names_of(values_);
  for (int i = 1; i < argc; i += 2) {
    const auto place = values_.find(argv[i]);
    if (place == values_.end())
      throw UsageError(fmt::format("unknown option '{}'", argv[i]), "valid: " + list_names(names),
                       did_you_mean(argv[i], names));
    if (i + 1 == argc) throw UsageError(fmt::format("{} has no value", argv[i]), "", "add one after it");
    place->second = argv[i + 1];
  }
}

Index Arguments::number(const std::string& name, Index least) const {
  return whole_number(name, text(name), least);
}

int Arguments::small_number(const std::string& name, int least) const {
  return static_cast<int>(whole_number(name, text(name), least, std::numeric_limits<int>::max()));
}

std::string json_list(const std::vector<double>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

}  // namespace loadshare::bench
