#include "apps/common/matrix/product.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace loadshare {
namespace {

const ProductKind kind{.app = "program",
                       .iteration_name = "columns",
                       .usual_size = 720,
                       .b = "--b",
                       .c = "--c",
                       .operands = "both",
                       .operands_are = "they are",
                       .size_options = "--size and --rows",
                       .advice = "",
                       .has_vector = false,
                       .check = check_product,
                       .text = nullptr};

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error was thrown";
}

ProductOptions parsed(std::vector<const char*> words) {
  ProductOptions options;
  CommandLineParser parser("program", "Multiply");
  const OptionGroup group = parser.group("Matrices");
  add_size(group, kind, options, "of all");
  add_dimension(group, "--rows", options.rows, "of A");
  words.insert(words.begin(), "program");
  parser.parse(static_cast<int>(words.size()), words.data());
  return options;
}

Index rows(const std::vector<const char*>& words) {
  return random_shape(kind, parsed(words)).rows;
}

void check_files(const char* a, const char* b) {
  ProductOptions options;
  options.a_file = a;
  options.b_file = b;
  check_options(kind, options, {});
}

TEST(ProductOptions, ADimensionPrecedesTheSizeAndThatPrecedesTheDefault) {
  EXPECT_EQ(rows({"--rows", "3", "--size", "5"}), 3);
  EXPECT_EQ(rows({"--size", "5"}), 5);
  EXPECT_EQ(rows({}), 720);
}

TEST(ProductOptions, ADimensionIsRefusedByTheOptionThatGaveIt) {
  EXPECT_EQ(refusal([] { parsed({"--rows", "-3", "--size", "5"}); }), "--rows is -3 (at least 0)");
  EXPECT_EQ(refusal([] { parsed({"--size", "-5"}); }), "--size is -5 (at least 0)");
}

TEST(ProductOptions, OneFileNeedsTheOther) {
  EXPECT_NO_THROW(check_files("", ""));
  EXPECT_NO_THROW(check_files("A", "B"));
  EXPECT_EQ(refusal([] { check_files("A", ""); }),
            "--b is missing (a product needs both); give both --a and --b, or neither for random ones");
  EXPECT_EQ(refusal([] { check_files("", "B"); }),
            "--a is missing (a product needs both); give both --a and --b, or neither for random ones");
}

TEST(ProductOptions, FilesDetermineTheSizes) {
  ProductOptions options = parsed({"--size", "720"});
  options.a_file = options.b_file = "A";
  EXPECT_EQ(refusal([&] { check_options(kind, options, {}); }),
            "sizes and files are both given (the files say how large they are); leave out --size and --rows");
}

}  // namespace
}  // namespace loadshare
