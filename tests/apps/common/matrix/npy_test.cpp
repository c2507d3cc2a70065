#include "apps/common/matrix/npy.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "apps/common/matrix/operands.hpp"
#include "tests/apps/common/files.hpp"

namespace loadshare {
namespace {

using test::error_of;
using test::TemporaryDirectory;
using test::write_file;

NpyHeader parse(std::string_view file, Dimensions dimensions = Dimensions::two) {
  return parse_npy(std::as_bytes(std::span(file)), "A.npy", dimensions);
}

std::string with_literal(std::string_view literal, std::size_t data_bytes = 96) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += {static_cast<char>(literal.size()), 0};
  return file.append(literal) + std::string(data_bytes, '\0');
}

std::string with_type(std::string_view descr) {
  return with_literal("{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (3, 4), }");
}

std::string with_shape(std::string_view shape, std::size_t data_bytes = 96) {
  return with_literal("{'descr': '<f8', 'fortran_order': False, 'shape': " + std::string(shape) + ", }",
                      data_bytes);
}

std::string error_in(const std::string& file) {
  return error_of([&] { parse(file); });
}

TEST(NpyHeader, IsReadBackAsWritten) {
  for (const ElementType type : {ElementType::float32, ElementType::float64}) {
    for (const StorageOrder order : {StorageOrder::c, StorageOrder::fortran}) {
      const std::string text = format_npy_header({type, order, 3, 123456, 0});
      EXPECT_EQ(text.size() % 64, 0U);
      const NpyHeader header = parse(text + std::string(3 * 123456 * element_size(type), 'x'));
      EXPECT_EQ(header.type, type);
      EXPECT_EQ(header.order, order);
      EXPECT_EQ(header.rows, 3);
      EXPECT_EQ(header.cols, 123456);
      EXPECT_EQ(header.data_offset, text.size());
    }
  }
}

TEST(NpyHeader, AVectorIsOneColumn) {
  const std::string text = format_npy_header({ElementType::float64, StorageOrder::c, 12, 1, 0, true});
  EXPECT_NE(text.find("'shape': (12,)"), std::string::npos);
  const NpyHeader header = parse(text + std::string(96, 'x'), Dimensions::one_or_two);
  EXPECT_TRUE(header.is_vector);
  EXPECT_EQ(header.rows, 12);
  EXPECT_EQ(header.cols, 1);
  EXPECT_FALSE(parse(with_shape("(3, 4)"), Dimensions::one_or_two).is_vector);
  EXPECT_EQ(error_of([] { parse(with_shape("()", 8), Dimensions::one_or_two); }),
            "cannot read A.npy (it has 0 dimensions; a matrix has two); reshape it: a.reshape(rows, cols)");
}

TEST(NpyHeader, AllowsWhatPythonAllows) {
  EXPECT_EQ(parse(with_literal(R"({"shape":(3L,4L),"fortran_order":True,"descr":"=f8"})")).order,
            StorageOrder::fortran);
  EXPECT_EQ(
      parse(with_literal(" { 'shape' : ( 3 , 8 , ) , 'descr' : '<f4' , 'fortran_order' : False , } \n")).cols,
      8);
}

TEST(NpyHeader, AllowsEmptyMatrices) {
  EXPECT_EQ(parse(with_shape("(0, 4)", 0)).cols, 4);
  EXPECT_EQ(parse(with_shape("(3, 0)", 0)).rows, 3);
  EXPECT_EQ(error_in(with_shape("(3, 0)", 8)),
            "cannot read A.npy (it has more data than its header says: 3 x 0 float64 takes 0 bytes of data, "
            "and the file has 8); save it again with numpy.save");
}

TEST(NpyHeader, NamesTypesThatAreNotHandled) {
  EXPECT_EQ(
      error_in(with_type("<i4")),
      "cannot read A.npy (its elements are int32 ('<i4'); float64 and float32 are handled); convert it: "
      "numpy.save(file, a.astype('float64'))");
  EXPECT_EQ(
      error_in(with_type(">f8")),
      "cannot read A.npy (its elements '>f8' are big-endian; little-endian ones are handled); convert it: "
      "numpy.save(file, a.astype('<f8'))");
  EXPECT_EQ(error_in(with_type("<c16")),
            "cannot read A.npy (its elements are complex128 ('<c16'); float64 and float32 are handled); "
            "convert it: numpy.save(file, a.real.astype('float64'))");
  EXPECT_NE(error_in(with_type("|O")).find("its elements are object ('|O')"), std::string::npos);
  EXPECT_NE(error_in(with_type("<f2")).find("float16"), std::string::npos);
  EXPECT_NE(error_in(with_type("|b1")).find("bool"), std::string::npos);
  EXPECT_NE(error_in(with_type("")).find("unknown ('')"), std::string::npos);
  EXPECT_NE(error_in(with_literal("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3, 4), }"))
                .find("its elements are of a structured type"),
            std::string::npos);
}

TEST(NpyHeader, WantsTwoDimensions) {
  EXPECT_EQ(error_in(with_shape("(12,)")),
            "cannot read A.npy (it has one dimension, of 12; a matrix has two); reshape it: a.reshape(-1, 1) "
            "makes it one column, a.reshape(1, -1) one row");
  EXPECT_EQ(error_in(with_shape("(2, 2, 3)")),
            "cannot read A.npy (it has 3 dimensions; a matrix has two); reshape it: a.reshape(rows, cols)");
  EXPECT_EQ(error_in(with_shape("()")),
            "cannot read A.npy (it has 0 dimensions; a matrix has two); reshape it: a.reshape(rows, cols)");
}

TEST(NpyHeader, RefusesImpossibleShapes) {
  EXPECT_NE(error_in(with_shape("(-3, 4)")).find("(its shape has a negative dimension, -3)"),
            std::string::npos);
  EXPECT_NE(error_in(with_shape("(3, 99999999999999999999)"))
                .find("(its shape has an impossible dimension, 99999999999999999999)"),
            std::string::npos);
  EXPECT_NE(error_in(with_shape("(4611686018427387904, 0)")).find("is larger than any memory"),
            std::string::npos);
  // 2^40 x 2^40 elements: the product is beyond 64 bits and must not come back as something small.
  EXPECT_NE(error_in(with_shape("(1099511627776, 1099511627776)")).find("takes more than 2^64 bytes"),
            std::string::npos);
}

TEST(NpyHeader, NamesTheExpectedNumberOfBytes) {
  EXPECT_EQ(
      error_in(with_shape("(3, 4)", 95)),
      "cannot read A.npy (it is cut off: 3 x 4 float64 takes 96 bytes of data, and the file has 95); copy or "
      "save it again");
  EXPECT_EQ(error_in(with_shape("(3, 4)", 97)),
            "cannot read A.npy (it has more data than its header says: 3 x 4 float64 takes 96 bytes of data, "
            "and the file has 97); save it again with numpy.save");
}

TEST(NpyHeader, RefusesOtherFiles) {
  EXPECT_EQ(error_in(""), "cannot read A.npy (the file is empty)");
  EXPECT_EQ(error_in("1 2 3"), "cannot read A.npy (it is not a .npy file); write it with numpy.save");
  EXPECT_EQ(error_in("PK\x03\x04 and so on"),
            "cannot read A.npy (it is an archive, such as .npz); save its matrix singly with numpy.save");
  EXPECT_EQ(error_in(std::string("\x93NUMPY\x04\x00\x00\x00", 10)),
            "cannot read A.npy (it has .npy format 4.0; 1.0, 2.0 and 3.0 are handled)");
  EXPECT_EQ(error_in(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14)),
            "cannot read A.npy (its header is cut off: it should have 4294967295 bytes, but the file has 2)");
}

TEST(NpyHeader, RefusesAnyBeginningOfAFile) {
  const std::string whole = with_shape("(3, 4)");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_TRUE(error_in(whole.substr(0, bytes)).starts_with("cannot read A.npy (")) << bytes;
}

TEST(NpyHeader, SurvivesAnyOneChangedByte) {
  const std::string whole = with_shape("(3, 4)");
  for (std::size_t at = 0; at < whole.size() - 96; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      const std::string error = error_in(changed);
      EXPECT_TRUE(error == "no error" || error.starts_with("cannot read A.npy (")) << at << ' ' << error;
    }
  }
}

TEST(NpyHeader, NamesThePlaceOfAnErrorInItsText) {
  EXPECT_EQ(error_in(with_literal("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (3, 4), }")),
            "cannot read A.npy (character 35 of the header should be True or False); write it with "
            "numpy.save, as a two-dimensional array of float64 or float32");
  EXPECT_NE(error_in(with_literal("{'descr': '<f8', 'shape': (3, 4), }"))
                .find("(its header has no 'fortran_order')"),
            std::string::npos);
  EXPECT_NE(error_in(with_literal("{'color': 'red'}")).find("(its header has an unknown entry 'color')"),
            std::string::npos);
  EXPECT_NE(error_in(with_literal("{'descr': '<f8'")).find("(the header ends where '}' should be)"),
            std::string::npos);
}

class NpyFileErrors : public testing::Test {
 protected:
  std::string error(const std::string& name) {
    return error_of([&] { NpyFile(directory_ / name); }, directory_.path());
  }
  TemporaryDirectory directory_;
};

TEST_F(NpyFileErrors, NameTheObstacle) {
  EXPECT_EQ(error("A.npy"), "cannot read A.npy (no such file or directory)");
  std::filesystem::create_directory(directory_ / "D.npy");
  EXPECT_EQ(error("D.npy"), "cannot read D.npy (it is a directory)");
  write_file(directory_ / "E.npy", "");
  EXPECT_EQ(error("E.npy"), "cannot read E.npy (the file is empty)");
  EXPECT_EQ(error("E.npy/A.npy"), "cannot read E.npy/A.npy (not a directory)");
  ASSERT_EQ(::mkfifo((directory_ / "F.npy").c_str(), 0600), 0);
  EXPECT_EQ(error("F.npy"), "cannot read F.npy (it is not a regular file)");
}

TEST_F(NpyFileErrors, SayThatPermissionIsMissing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  write_file(directory_ / "A.npy", "x");
  std::filesystem::permissions(directory_ / "A.npy", std::filesystem::perms::none);
  EXPECT_EQ(error("A.npy"), "cannot read A.npy (permission denied)");
}

}  // namespace
}  // namespace loadshare
