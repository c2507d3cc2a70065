#include "runtime/transport/tcp/frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace loadshare::tcp {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

Bytes frame_of(FrameKind kind, const FieldWriter& fields, ByteView payload = {}) {
  Bytes frame;
  append_frame_head(frame, kind, fields, payload);
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

Bytes sample() {
  FieldWriter fields;
  fields.put(std::uint32_t{7}).put(std::int64_t{-3}).put(0.25).put("node1");
  return frame_of(FrameKind::order, fields, bytes_of("some payload"));
}

/// Whether a stream of these bytes is found to be bad before anything was taken for a frame.
bool is_refused(const Bytes& bytes) {
  FrameReader reader;
  bool has_frame = false;
  try {
    reader.feed(bytes, [&](const Frame&) { return has_frame = true; });
  } catch (const BadFrame&) {
    return !has_frame;
  }
  return false;
}

TEST(Frame, ComesBackAsItWas) {
  const Bytes bytes = sample();
  ByteView left = bytes;
  const auto frame = take_frame(left);
  ASSERT_TRUE(frame);
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(frame->kind, FrameKind::order);
  FieldReader fields(frame->fields);
  EXPECT_EQ(fields.take<std::uint32_t>(), 7u);
  EXPECT_EQ(fields.take<std::int64_t>(), -3);
  EXPECT_EQ(fields.take<double>(), 0.25);
  EXPECT_EQ(fields.take<std::string>(), "node1");
  fields.finish();
  EXPECT_THAT(Bytes(frame->payload.begin(), frame->payload.end()),
              testing::ContainerEq(bytes_of("some payload")));
}

// What is written here must be read elsewhere, whatever the processor: these bytes are the format.
TEST(Frame, IsTheSameBytesEverywhere) {
  FieldWriter fields;
  fields.put(std::uint32_t{0x01020304}).put(std::int16_t{-2});
  const Bytes bytes = frame_of(FrameKind::hello, fields);
  const std::vector<int> head{'L', 'S', 1, 1, 6, 0, 0, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < head.size(); ++i) EXPECT_EQ(std::to_integer<int>(bytes[i]), head[i]) << i;
  const std::vector<int> tail{4, 3, 2, 1, 0xfe, 0xff};
  for (std::size_t i = 0; i < tail.size(); ++i) EXPECT_EQ(std::to_integer<int>(bytes[20 + i]), tail[i]) << i;
}

TEST(Frame, IsNoneUntilItsLastByte) {
  const Bytes bytes = sample();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteView left = ByteView(bytes).first(size);
    EXPECT_FALSE(take_frame(left)) << size;
    EXPECT_EQ(left.size(), size);
  }
}

// Another frame begins where the rest of the first should be.
TEST(Frame, IsRefusedWhereverItIsCutShort) {
  const Bytes whole = sample();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    for (int i = 0; i < 3; ++i) bytes.insert(bytes.end(), whole.begin(), whole.end());
    EXPECT_TRUE(is_refused(bytes)) << size;
  }
}

// Where a size is spoilt more is waited for, so enough follows for the longest frame that may be.
TEST(Frame, IsRefusedWhicheverBitFlips) {
  const Bytes whole = sample();
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    Bytes bytes = whole;
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    bytes.resize(bytes.size() + most_payload_bytes + most_field_bytes);
    EXPECT_TRUE(is_refused(bytes)) << bit;
  }
}

/// A stream of frames, and how many bytes of it are before each.
struct Stream {
  Bytes bytes;
  std::vector<std::size_t> begins;
};

Stream random_stream(std::mt19937& random) {
  Stream stream;
  for (std::uint32_t i = 0; i < 20; ++i) {
    FieldWriter fields;
    for (auto field = random() % 5; field > 0; --field) fields.put(static_cast<std::uint64_t>(random()));
    const Bytes frame = frame_of(FrameKind::result, fields.put(i), Bytes(random() % 300, std::byte{7}));
    stream.begins.push_back(stream.bytes.size());
    stream.bytes.insert(stream.bytes.end(), frame.begin(), frame.end());
  }
  return stream;
}

/// How many frames are taken of bytes that come in random parts, each as it was sent.
std::size_t frames_taken(const Bytes& bytes, const Stream& sent, std::mt19937& random) {
  FrameReader reader;
  std::size_t taken = 0;
  const auto is_as_sent = [&](const Frame& frame) {
    const std::size_t size = frame_header_bytes + frame.fields.size() + frame.payload.size();
    const ByteView original = ByteView(sent.bytes).subspan(sent.begins.at(taken++), size);
    EXPECT_TRUE(std::ranges::equal(original.subspan(frame_header_bytes, frame.fields.size()), frame.fields));
    EXPECT_TRUE(std::ranges::equal(original.last(frame.payload.size()), frame.payload));
    return true;
  };
  try {
    for (ByteView left = bytes; !left.empty();) {
      const ByteView part = left.first(std::min<std::size_t>(left.size(), 1 + random() % 700));
      left = left.subspan(part.size());
      reader.feed(part, is_as_sent);
    }
  } catch (const BadFrame&) {
  }
  return taken;
}

// Whatever is spoilt on its way, and wherever it is cut: what comes before it is taken, and no more.
TEST(FrameReader, TakesAllBeforeWhatIsSpoiltAndNothingBehindIt) {
  std::mt19937 random(4711);
  for (int round = 0; round < 3000; ++round) {
    const Stream sent = random_stream(random);
    Bytes bytes = sent.bytes;
    const std::size_t place = random() % bytes.size();
    const auto way = random() % 4;
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(place);
    if (way == 0) *at ^= static_cast<std::byte>(1 << random() % 8);
    if (way == 1) bytes.resize(place);
    if (way == 2) bytes.erase(at);
    if (way == 3) bytes.insert(at, static_cast<std::byte>(~std::to_integer<unsigned>(*at)));
    const auto whole = std::ranges::upper_bound(sent.begins, place) - sent.begins.begin() - 1;
    EXPECT_EQ(frames_taken(bytes, sent, random), static_cast<std::size_t>(whole))
        << "round " << round << ", way " << way << " at byte " << place;
  }
}

TEST(Frame, IsRefusedWhereItIsTooLong) {
  for (const std::size_t place : {std::size_t{5}, std::size_t{11}}) {  // the highest byte of either size
    Bytes bytes = sample();
    bytes[place] = std::byte{0x7f};
    EXPECT_TRUE(is_refused(bytes)) << "at once: who waits for its end keeps as much in memory";
  }
  const Bytes long_payload(most_payload_bytes + 1);
  EXPECT_THROW(frame_of(FrameKind::input, {}, long_payload), std::length_error);
}

TEST(Frame, OfAnotherVersionIsRefusedWithBothNamed) {
  Bytes bytes = sample();
  bytes[2] = std::byte{9};
  ByteView left = bytes;
  try {
    take_frame(left);
    FAIL() << "it was taken";
  } catch (const BadFrame& bad) {
    EXPECT_STREQ(bad.what(), "the other side uses version 9 of the protocol, this one 1");
  }
}

TEST(Frame, OfAnotherProgramIsRefusedByItsFirstBytes) {
  for (const char* said : {"GET / HTTP/1.1", "SSH", "\x16\x03"})
    EXPECT_TRUE(is_refused(bytes_of(said))) << said;
}

TEST(FieldReader, RefusesMoreAndFewerFields) {
  FieldWriter fields;
  fields.put(std::uint16_t{1}).put(std::uint8_t{200});
  FieldReader fewer(fields.bytes());
  EXPECT_THROW(fewer.take<std::uint32_t>(), BadFrame);
  FieldReader more(fields.bytes());
  more.take<std::uint16_t>();
  EXPECT_THROW(more.finish(), BadFrame);
  EXPECT_THROW(more.take<std::string>(), BadFrame) << "a text longer than what is left";
}

TEST(FrameReader, FindsFramesHoweverTheyAreCut) {
  std::mt19937 random(1);
  Bytes stream;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const Bytes payload(random() % 3 == 0 ? random() % 5000 : 0, static_cast<std::byte>(i));
    FieldWriter fields;
    fields.put(i);
    const Bytes frame = frame_of(FrameKind::result, fields, payload);
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  for (int round = 0; round < 20; ++round) {
    FrameReader reader;
    std::uint32_t next = 0;
    for (ByteView left = stream; !left.empty();) {
      const std::size_t size = std::min<std::size_t>(left.size(), 1 + random() % 3000);
      reader.feed(left.first(size), [&](const Frame& frame) {
        EXPECT_EQ(FieldReader(frame.fields).take<std::uint32_t>(), next);
        for (const std::byte byte : frame.payload) EXPECT_EQ(byte, static_cast<std::byte>(next));
        return ++next > 0;
      });
      left = left.subspan(size);
    }
    EXPECT_EQ(next, 200u);
    EXPECT_FALSE(reader.has_begun());
  }
}

}  // namespace
}  // namespace loadshare::tcp
