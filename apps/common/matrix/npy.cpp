#include "apps/common/matrix/npy.hpp"

#include <fmt/format.h>

#include "apps/common/matrix/npy_dict.hpp"
#include "schedulers/error.hpp"

namespace loadshare {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t prefix_bytes = magic.size() + 2;  // the magic and the two version numbers
constexpr std::size_t alignment = 64;
/// Longer than any memory, and short enough that sums of positions never overflow.
constexpr Index largest_dimension = Index{1} << 40;

/// The text of a file's beginning: where the header's literal lies and where the data begins.
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

/// The columns of a shape of one dimension or two.
Index cols_of(const std::vector<Index>& shape) {
  return shape.size() == 1 ? 1 : shape.back();
}

/// "int32" for "<i4": the name that numpy shows for a type.
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
    fail(fmt::format("its header is cut off: it should have {} bytes, {} are there", length,
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
      fmt::format("{} takes {} bytes of data, {} are there", what,
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
