#include "runtime/farm/plain_bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <optional>
#include <string_view>

namespace loadshare::plain_bytes {
namespace {

struct Nobody {};
enum class Kind { one, other };
struct Body {
  bool is_there;
  Kind kind;
  double place[3];
  std::array<char, 16> name;
  unsigned bits : 3;
};
struct Text {
  int size;
  const char* letters;
};

/// A struct of `First`, some fields that nobody minds, and `Last`.
template <class First, class Last>
struct With {
  First first;
  Body body;
  Last last;
};
template <class Last>
struct DerivedWith : Body {
  Last last;
};

TEST(HasAddress, FindsThemBesideOtherFields) {
  EXPECT_TRUE(has_address<Text>());
  EXPECT_TRUE((has_address<With<void*, int>>()));
  EXPECT_TRUE((has_address<With<Nobody, double*>>()));
  EXPECT_TRUE((has_address<With<bool, int (*)(int)>>()));
  EXPECT_TRUE((has_address<With<int, int Text::*>>()));
  EXPECT_TRUE((has_address<With<int, int (Text::*)()>>()));
  EXPECT_TRUE((has_address<With<int, std::string_view>>()));
  EXPECT_TRUE((has_address<With<int, std::span<const double>>>()));
  EXPECT_TRUE((has_address<With<std::complex<double>, std::optional<int*>>>()));
}

TEST(HasAddress, FindsThemInStructsAndArraysOfStructs) {
  EXPECT_TRUE((has_address<With<int, Text>>()));
  EXPECT_TRUE((has_address<With<Text, int>>()));
  EXPECT_TRUE((has_address<With<int, With<int, Text[2]>>>()));
  EXPECT_TRUE((has_address<With<double[4], std::array<Text, 2>>>()));
  EXPECT_TRUE((has_address<std::array<int*, 3>>()));
  EXPECT_TRUE(has_address<DerivedWith<char*>>());
}

TEST(HasAddress, FindsNoneWhereThereIsNone) {
  EXPECT_FALSE(has_address<int>());
  EXPECT_FALSE(has_address<Nobody>());
  EXPECT_FALSE(has_address<Body>());
  EXPECT_FALSE(has_address<DerivedWith<int>>());
  EXPECT_FALSE((has_address<With<std::complex<double>, std::optional<int>>>()));
  EXPECT_FALSE((has_address<std::array<double, 10'000>>()));
}

struct FromText {
  FromText() = default;
  FromText(const char*) {}
};
struct FromAnything {
  FromAnything() = default;
  template <class T>
  FromAnything(T) {}
};
class Hidden {
 public:
  int* get() const { return pointer_; }

 private:
  int* pointer_ = nullptr;
};
union Either {
  double number;
  int* pointer;
};

TEST(HasAddress, TakesNothingForOneThatIsNone) {
  EXPECT_FALSE((has_address<With<int, FromText>>()));
  EXPECT_FALSE((has_address<With<FromAnything, int>>()));
}

TEST(HasAddress, PassesWhatItCannotSee) {
  EXPECT_FALSE(has_address<Hidden>());
  EXPECT_FALSE(has_address<Either>());
  EXPECT_FALSE((has_address<With<std::array<double, most_fields>, int*>>()));
  EXPECT_TRUE((has_address<With<Hidden, int*>>())) << "it looks beyond";
}

}  // namespace
}  // namespace loadshare::plain_bytes
