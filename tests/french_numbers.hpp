#pragma once

#include <locale>
#include <string>

namespace loadshare::test {

/// While it exists, the program's C++ locale writes and reads numbers as in French: `1 234,5`. No such locale
/// has to be installed.
class FrenchNumbers final {
 public:
  FrenchNumbers() : before_(std::locale::global(std::locale(std::locale::classic(), new Punctuation))) {}
  ~FrenchNumbers() { std::locale::global(before_); }
  FrenchNumbers(const FrenchNumbers&) = delete;
  FrenchNumbers& operator=(const FrenchNumbers&) = delete;

 private:
  struct Punctuation final : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return ' '; }
    std::string do_grouping() const override { return "\3"; }
  };

  std::locale before_;
};

}  // namespace loadshare::test
