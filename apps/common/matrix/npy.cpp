#include "apps/common/matrix/npy.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"

namespace loadshare {
namespace {

/// The three entries of a .npy header.
struct NpyDict {
  std::string descr;  ///< e.g. "<f8"
  bool is_fortran_order = false;
  std::vector<Index> shape;
};

/// The error in a header's text. The caller adds the file's name.
class NpyDictError final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

constexpr std::string_view white_space = " \t\r\n";

/// Reads the kinds of literals that a header contains, from left to right.
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

/// Parses a header's Python literal, e.g. `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`,
/// which may be padded with white space. Dimensions are not negative. Throws NpyDictError. Source: NEP 1, "A
/// simple file format for NumPy arrays".
NpyDict parse_npy_dict(std::string_view text) {
  return Reader(text).dict();
}

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t prefix_bytes = magic.size() + 2;  // the magic string and the two version numbers
constexpr std::size_t alignment = 64;
/// Larger than any memory, and small enough that sums of positions do not overflow.
constexpr Index largest_dimension = Index{1} << 40;

/// The beginning of a file: the position of the header's literal and of the data.
struct Frame {
  std::string_view literal;
  std::size_t data_offset = 0;
};

class HeaderReader final {
 public:
  HeaderReader(std::string_view file, std::string_view name, Dimensions dimensions)
      : file_(file), name_(name), dimensions_(dimensions) {}

  NpyHeader header() const;

 private:
  [[noreturn]] void fail(std::string_view why, std::string_view suggestion = {}) const {
    throw UsageError(fmt::format("cannot read {}", name_), why, suggestion);
  }
  Frame frame() const;
  std::size_t little_endian(std::size_t at, std::size_t bytes) const;
  NpyDict dict(std::string_view literal) const;
  ElementType type(const std::string& descr) const;
  void check_shape(const std::vector<Index>& shape) const;
  void check_size(const NpyHeader& header) const;

  std::string_view file_;
  std::string_view name_;
  Dimensions dimensions_;
};

/// Returns the number of columns of a shape with one or two dimensions.
Index cols_of(const std::vector<Index>& shape) {
  return shape.size() == 1 ? 1 : shape.back();
}

/// Returns numpy's name of a type: "int32" for "<i4".
std::string numpy_name(std::string_view descr) {
  const std::string_view code = descr.substr(std::min(descr.find_first_not_of("<>=|"), descr.size()));
  const std::string_view digits = code.substr(std::min<std::size_t>(1, code.size()));
  const bool is_number = digits.size() == 1 || digits == "16" || digits == "32";
  const int bits = is_number ? 8 * std::atoi(std::string(digits).c_str()) : 0;
  switch (code.empty() ? ' ' : code[0]) {
    case 'b':
      return "bool";
    case 'i':
      return fmt::format("int{}", bits);
    case 'u':
      return fmt::format("uint{}", bits);
    case 'f':
      return fmt::format("float{}", bits);
    case 'c':
      return fmt::format("complex{}", bits);
    case 'O':
      return "object";
    case 'S':
    case 'U':
      return "text";
    default:
      return "unknown";
  }
}

std::size_t HeaderReader::little_endian(std::size_t at, std::size_t bytes) const {
  if (file_.size() < at + bytes)
    fail(fmt::format("its header is cut off: the file has only {}", human_bytes(file_.size())));
  std::size_t result = 0;
  for (std::size_t i = bytes; i-- > 0;) result = result << 8 | static_cast<unsigned char>(file_[at + i]);
  return result;
}

Frame HeaderReader::frame() const {
  if (file_.empty()) fail("the file is empty");
  if (file_.starts_with("PK\x03\x04"))
    fail("it is an archive, such as .npz", "save its matrix singly with numpy.save");
  if (!file_.starts_with(magic.substr(0, file_.size())))
    fail("it is not a .npy file", "write it with numpy.save");
  const std::size_t version = little_endian(magic.size(), 1);
  if (version < 1 || version > 3)
    fail(fmt::format("it has .npy format {}.{}; 1.0, 2.0 and 3.0 are handled", version,
                     little_endian(magic.size() + 1, 1)));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t length = little_endian(prefix_bytes, length_bytes);
  const std::size_t begin = prefix_bytes + length_bytes;
  if (file_.size() - begin < length)
    fail(fmt::format("its header is cut off: it should have {} bytes, but the file has {}", length,
                     file_.size() - begin));
  return {file_.substr(begin, length), begin + length};
}

NpyDict HeaderReader::dict(std::string_view literal) const {
  try {
    return parse_npy_dict(literal);
  } catch (const NpyDictError& error) {
    fail(error.what(), "write it with numpy.save, as a two-dimensional array of float64 or float32");
  }
}

ElementType HeaderReader::type(const std::string& descr) const {
  if (descr == "<f8" || descr == "=f8" || descr == "f8") return ElementType::float64;
  if (descr == "<f4" || descr == "=f4" || descr == "f4") return ElementType::float32;
  if (descr == ">f8" || descr == ">f4")
    fail(fmt::format("its elements '{}' are big-endian; little-endian ones are handled", descr),
         fmt::format("convert it: numpy.save(file, a.astype('<{}'))", descr.substr(1)));
  const std::string dtype = numpy_name(descr);
  const std::string real_part = dtype.starts_with("complex") ? ".real" : "";
  fail(fmt::format("its elements are {} ('{}'); float64 and float32 are handled", dtype, descr),
       fmt::format("convert it: numpy.save(file, a{}.astype('float64'))", real_part));
}

void HeaderReader::check_shape(const std::vector<Index>& shape) const {
  if (shape.size() == 1 && dimensions_ == Dimensions::two)
    fail(fmt::format("it has one dimension, of {}; a matrix has two", shape[0]),
         "reshape it: a.reshape(-1, 1) makes it one column, a.reshape(1, -1) one row");
  if (shape.empty() || shape.size() > 2)
    fail(fmt::format("it has {} dimensions; a matrix has two", shape.size()),
         "reshape it: a.reshape(rows, cols)");
  for (const Index dimension : shape)
    if (dimension > largest_dimension)
      fail(fmt::format("its shape {} is larger than any memory", shape_text(shape.front(), cols_of(shape))));
}

void HeaderReader::check_size(const NpyHeader& header) const {
  const Bytes expected = header.data_bytes();
  const Bytes actual = file_.size() - header.data_offset;
  if (expected == actual) return;
  const std::string what = fmt::format("{} x {} {}", header.rows, header.cols, name_of(header.type));
  const std::string sizes =
      fmt::format("{} takes {} bytes of data, and the file has {}", what,
                  expected == too_many_bytes ? "more than 2^64" : fmt::to_string(expected), actual);
  if (actual < expected) fail("it is cut off: " + sizes, "copy or save it again");
  fail("it has more data than its header says: " + sizes, "save it again with numpy.save");
}

NpyHeader HeaderReader::header() const {
  const Frame where = frame();
  const NpyDict entries = dict(where.literal);
  NpyHeader result;
  result.type = type(entries.descr);
  check_shape(entries.shape);
  result.order = entries.is_fortran_order ? StorageOrder::fortran : StorageOrder::c;
  result.rows = entries.shape.front();
  result.cols = cols_of(entries.shape);
  result.is_vector = entries.shape.size() == 1;
  result.data_offset = where.data_offset;
  check_size(result);
  return result;
}

}  // namespace

NpyHeader parse_npy(std::span<const std::byte> file, std::string_view name, Dimensions dimensions) {
  return HeaderReader({reinterpret_cast<const char*>(file.data()), file.size()}, name, dimensions).header();
}

std::string format_npy_header(const NpyHeader& header) {
  const std::string shape = header.is_vector ? fmt::format("({},)", header.rows)
                                             : fmt::format("({}, {})", header.rows, header.cols);
  const std::string literal =
      fmt::format("{{'descr': '<f{}', 'fortran_order': {}, 'shape': {}, }}", element_size(header.type),
                  header.order == StorageOrder::fortran ? "True" : "False", shape);
  const std::size_t used = prefix_bytes + 2 + literal.size() + 1;
  const std::size_t padding = (alignment - used % alignment) % alignment;
  const std::size_t length = literal.size() + padding + 1;
  std::string result(magic);
  result += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return result + literal + std::string(padding, ' ') + '\n';
}

}  // namespace loadshare
