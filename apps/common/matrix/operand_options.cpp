#include "apps/common/matrix/operand_options.hpp"

#include <fmt/format.h>

#include "apps/common/whole_number.hpp"

namespace loadshare {

namespace {

// Indices of elements stay far from overflow; no machine holds such a matrix.
constexpr Index longest_dimension = Index{1} << 40;

}  // namespace

void require_both_files(const NamedFile& a, const NamedFile& b, std::string_view both) {
  if (a.path.empty() == b.path.empty()) return;
  throw UsageError(fmt::format("{} is missing", a.path.empty() ? a.option : b.option),
                   fmt::format("a product needs {}", both),
                   fmt::format("give both {} and {}, or neither for random ones", a.option, b.option));
}

UsageError sizes_beside_files(std::string_view operands_are, std::string_view size_options) {
  return UsageError("sizes and files are both given", fmt::format("the files say how large {}", operands_are),
                    fmt::format("leave out {}", size_options));
}

Index dimension(const char* option, const std::string& word, const std::string& size, const char* usual) {
  if (!word.empty()) return whole_number(option, word, 0, longest_dimension);
  return whole_number("--size", size.empty() ? usual : size, 0, longest_dimension);
}

}  // namespace loadshare
