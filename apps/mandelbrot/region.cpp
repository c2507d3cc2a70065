#include "apps/mandelbrot/region.hpp"

#include <fmt/format.h>

#include <optional>

#include "apps/common/number.hpp"
#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::mandelbrot {
namespace {

constexpr const char* how_to_write = "write it as X0,X1,Y0,Y1: -2,1,-1.5,1.5";

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw UsageError(fmt::format("--region is '{}'", text), why, how_to_write);
}

double bound(const std::string& text, std::string_view word) {
  const std::optional<double> value = parse_number(word);
  if (!value) refuse(text, fmt::format("'{}' is not a number", word));
  return *value;
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> values;
  std::string_view rest = text;
  for (std::size_t comma = 0; comma != std::string_view::npos; rest = rest.substr(comma + 1)) {
    comma = rest.find(',');
    values.push_back(bound(text, rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
  }
  return values;
}

Region typed_region(const std::string& text) {
  const std::vector<double> values = numbers(text);
  if (values.size() != 4) refuse(text, fmt::format("it has {} numbers, not 4", values.size()));
  const Bounds bounds{values[0], values[1], values[2], values[3]};
  if (!(bounds.re_from < bounds.re_to) || !(bounds.im_from < bounds.im_to))
    refuse(text, "a region must begin before it ends");
  return {text, "typed bounds", bounds};
}

}  // namespace

const std::vector<Region>& regions() {
  static const std::vector<Region> table{
      {"whole", "the set and what surrounds it, -2,1,-1.5,1.5", {-2, 1, -1.5, 1.5}},
      {"part", "the valley between the two largest discs, -0.8,-0.7,0.05,0.15", {-0.8, -0.7, 0.05, 0.15}},
  };
  return table;
}

Region parse_region(const std::string& text) {
  std::vector<std::string> names;
  for (const Region& region : regions()) {
    if (region.name == text) return region;
    names.push_back(region.name);
  }
  if (text.find(',') != std::string::npos) return typed_region(text);
  throw unknown_name("--region", text, names);
}

}  // namespace loadshare::mandelbrot
