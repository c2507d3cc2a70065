#include "apps/common/matrix/npy_dict.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace loadshare {
namespace {

constexpr std::string_view white_space = " \t\r\n";

/// Reads the few kinds of literal that a header holds, from left to right.
class Reader final {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  NpyDict dict();

 private:
  void skip_space() { at_ = std::min(text_.find_first_not_of(white_space, at_), text_.size()); }
  bool take(char wanted);
  void expect(char wanted);
  [[noreturn]] void fail(std::string_view expected) const;
  std::string string();
  bool boolean();
  Index dimension();
  std::vector<Index> tuple();
  void value(std::string_view key, NpyDict& dict);

  std::string_view text_;
  std::size_t at_ = 0;
};

void Reader::fail(std::string_view expected) const {
  if (at_ >= text_.size()) throw NpyDictError(fmt::format("the header ends where {} should be", expected));
  throw NpyDictError(fmt::format("character {} of the header should be {}", at_ + 1, expected));
}

bool Reader::take(char wanted) {
  skip_space();
  if (at_ >= text_.size() || text_[at_] != wanted) return false;
  ++at_;
  return true;
}

void Reader::expect(char wanted) {
  if (!take(wanted)) fail(fmt::format("'{}'", wanted));
}

std::string Reader::string() {
  const char quote = take('\'') ? '\'' : '"';
  if (quote == '"' && !take('"')) fail("a quoted string");
  const std::size_t end = text_.find(quote, at_);
  if (end == text_.npos) fail("a string with a closing quote");
  std::string result(text_.substr(at_, end - at_));
  at_ = end + 1;
  return result;
}

bool Reader::boolean() {
  skip_space();
  const std::string_view rest = text_.substr(at_);
  if (!rest.starts_with("True") && !rest.starts_with("False")) fail("True or False");
  at_ += rest[0] == 'T' ? 4U : 5U;
  return rest[0] == 'T';
}

Index Reader::dimension() {
  skip_space();
  Index result = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), result);
  if (error == std::errc::invalid_argument) fail("a dimension");
  const std::string_view digits(text_.data() + at_, static_cast<std::size_t>(end - text_.data()) - at_);
  if (digits[0] == '-') throw NpyDictError(fmt::format("its shape has a negative dimension, {}", digits));
  if (error != std::errc{})
    throw NpyDictError(fmt::format("its shape has an impossible dimension, {}", digits));
  at_ += digits.size();
  if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers so
  return result;
}

std::vector<Index> Reader::tuple() {
  std::vector<Index> result;
  expect('(');
  while (!take(')')) {
    result.push_back(dimension());
    if (take(',')) continue;
    expect(')');
    break;
  }
  return result;
}

void Reader::value(std::string_view key, NpyDict& dict) {
  skip_space();
  const bool is_structured = at_ < text_.size() && text_[at_] == '[';
  if (key == "descr" && is_structured) throw NpyDictError("its elements are of a structured type");
  if (key == "descr") {
    dict.descr = string();
  } else if (key == "fortran_order") {
    dict.is_fortran_order = boolean();
  } else if (key == "shape") {
    dict.shape = tuple();
  } else {
    throw NpyDictError(fmt::format("its header has an unknown entry '{}'", key));
  }
}

NpyDict Reader::dict() {
  NpyDict result;
  std::set<std::string> seen;
  expect('{');
  while (!take('}')) {
    const std::string key = string();
    expect(':');
    value(key, result);
    seen.insert(key);
    if (take(',')) continue;
    expect('}');
    break;
  }
  skip_space();
  if (at_ < text_.size()) fail("the end");
  for (const char* key : {"descr", "fortran_order", "shape"})
    if (!seen.contains(key)) throw NpyDictError(fmt::format("its header has no '{}'", key));
  return result;
}

}  // namespace

NpyDict parse_npy_dict(std::string_view text) {
  return Reader(text).dict();
}

}  // namespace loadshare
