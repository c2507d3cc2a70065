#include "experiments/yaml/document.hpp"

#include <gtest/gtest.h>

#include "tests/experiments/yaml/complaint.hpp"

namespace loadshare::yaml {
namespace {

constexpr const char* sample =
    "size: 010\n"
    "share: 0.10\n"
    "link: 100mbit\n"
    "within: 2%\n"
    "on: 250ms\n"
    "flag: true\n"
    "word: \"true\"\n"
    "hosts: [a, {count: 3}]\n"
    "nothing:\n"
    "last: 1\n";

Value value_of(const std::string& key) {
  return read(sample, "f.yaml").map().at(key);
}

TEST(Value, ReadsEachType) {
  EXPECT_EQ(value_of("size").integer(), 10);
  EXPECT_EQ(value_of("size").text(), "010");
  EXPECT_DOUBLE_EQ(value_of("share").number(0, 1), 0.1);
  EXPECT_DOUBLE_EQ(value_of("link").rate_bits_per_s(), 1e8);
  EXPECT_DOUBLE_EQ(value_of("within").percentage(), 0.02);
  EXPECT_DOUBLE_EQ(value_of("on").duration_s(), 0.25);
  EXPECT_TRUE(value_of("flag").boolean());
  EXPECT_FALSE(value_of("word").is_boolean()) << "quotes make a text of it";
  EXPECT_EQ(value_of("hosts").list().at(1).map().at("count").integer(), 3);
}

TEST(Value, ErrorsNameProblemAndPosition) {
  EXPECT_EQ(complaint([] { value_of("share").integer(); }),
            "f.yaml:2:8: share is '0.10' (it must be a whole number)");
  EXPECT_EQ(complaint([] { value_of("size").integer(11); }),
            "f.yaml:1:7: size is 10 (it must be at least 11)");
  EXPECT_EQ(complaint([] { value_of("size").integer(0, 9); }),
            "f.yaml:1:7: size is 10 (it must be at most 9)");
  EXPECT_EQ(complaint([] { value_of("size").number(0, 1); }),
            "f.yaml:1:7: size is '010' (it must be from 0 to 1)");
  EXPECT_EQ(complaint([] { value_of("link").number(0, 1); }),
            "f.yaml:3:7: link is '100mbit' (it must be a number)");
  EXPECT_EQ(complaint([] { value_of("size").duration_s(); }),
            "f.yaml:1:7: size is '010' (it must be a duration like 1.5s or 250ms)");
  EXPECT_EQ(complaint([] { value_of("on").rate_bits_per_s(); }),
            "f.yaml:5:5: on is '250ms' (it must be a rate like 100mbit)");
  EXPECT_EQ(complaint([] { value_of("on").percentage(); }),
            "f.yaml:5:5: on is '250ms' (it must be a percentage like 2%)");
  EXPECT_EQ(complaint([] { value_of("within").percentage(0.01); }),
            "f.yaml:4:9: within is '2%' (it must be at most 1%)");
  EXPECT_EQ(complaint([] { value_of("word").boolean(); }),
            "f.yaml:7:7: word is 'true' (it must be true or false)");
  EXPECT_EQ(complaint([] { value_of("hosts").text(); }), "f.yaml:8:8: hosts is a list (it must be a text)");
  EXPECT_EQ(complaint([] { value_of("hosts").map(); }),
            "f.yaml:8:8: hosts is a list (it must be a map of `key: value`)");
  EXPECT_EQ(complaint([] { value_of("size").list(); }), "f.yaml:1:7: size is '010' (it must be a list)");
  EXPECT_EQ(complaint([] { value_of("hosts").list().at(1).text(); }),
            "f.yaml:8:12: item 2 of hosts is a map (it must be a text)");
}

TEST(Value, AnEmptyValueIsReportedAtItsKey) {
  EXPECT_EQ(complaint([] { value_of("nothing").text(); }),
            "f.yaml:9:1: nothing is empty (it must be a text)");
}

TEST(Map, RefusesKeysThatWereNeverRequested) {
  Map map = read("size: 1\nsise: 2\n", "f.yaml").map();
  map.find("size");
  map.find("title");
  EXPECT_EQ(complaint([&] { map.finish(); }),
            "f.yaml:2:1: unknown key 'sise' (valid: size, title); did you mean 'size'?");
  map.all();
  EXPECT_EQ(complaint([&] { map.finish(); }), "(none)");
}

TEST(Map, AMissingKeyIsReportedAtTheMap) {
  EXPECT_EQ(complaint([] { read("a: 1\n", "f.yaml").map().at("schema"); }),
            "f.yaml:1:1: 'schema' is missing");
  EXPECT_EQ(complaint([] { value_of("hosts").list().at(1).map().at("name"); }),
            "f.yaml:8:12: item 2 of hosts has no 'name'");
}

TEST(Map, AFileOfAnotherTypeIsRefused) {
  EXPECT_EQ(complaint([] { read("- 1\n", "f.yaml").map(); }),
            "f.yaml:1:1: the file is a list (it must be a map of `key: value`)");
}

TEST(Document, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(complaint([] { load("/nowhere/f.yaml"); }),
            "cannot read /nowhere/f.yaml (no such file or directory)");
  EXPECT_EQ(complaint([] { load("/tmp"); }), "cannot read /tmp (it is a directory)");
  EXPECT_EQ(complaint([] { load("/dev/zero"); }), "cannot read /dev/zero (it is a device, not a file)");
  EXPECT_EQ(complaint([] { load("/dev/null"); }), "/dev/null:1:1: the file is empty");
}

}  // namespace
}  // namespace loadshare::yaml
