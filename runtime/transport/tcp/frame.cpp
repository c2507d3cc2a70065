#include "runtime/transport/tcp/frame.hpp"

#include <algorithm>

#define XXH_INLINE_ALL  // it is compiled here: no library to link
#include <xxhash.h>

namespace loadshare::tcp {
namespace {

constexpr std::uint16_t magic = 0x534c;
constexpr std::size_t checked_header_bytes = 12;  // all but the checksum

/// Of these three parts, none of which is copied to stand beside the others.
std::uint64_t checksum_of(ByteView head, ByteView fields, ByteView payload) {
  std::uint64_t sum = 0;
  for (const ByteView part : {head, fields, payload})
    sum = XXH3_64bits_withSeed(part.data(), part.size(), sum);
  return sum;
}

/// A header, as its bytes say.
struct Header {
  FrameKind kind;
  std::size_t field_bytes, payload_bytes;
  std::uint64_t checksum;
};

[[noreturn]] void refuse_version(unsigned version) {
  throw BadFrame("the other side uses version " + std::to_string(version) + " of the protocol, this one " +
                 std::to_string(protocol_version));
}

Header read_header(ByteView bytes) {
  FieldReader reader(bytes);
  if (reader.take<std::uint16_t>() != magic) throw BadFrame("the other side does not use this protocol");
  if (const auto version = reader.take<std::uint8_t>(); version != protocol_version) refuse_version(version);
  const auto kind = reader.take<std::uint8_t>();
  const std::size_t field_bytes = reader.take<std::uint16_t>();
  const auto nothing = reader.take<std::uint16_t>();
  const std::size_t payload_bytes = reader.take<std::uint32_t>();
  const bool is_known =
      kind >= static_cast<std::uint8_t>(FrameKind::hello) && kind <= static_cast<std::uint8_t>(last_kind);
  if (!is_known || nothing != 0) throw BadFrame("a frame of unknown kind arrived");
  if (field_bytes > most_field_bytes || payload_bytes > most_payload_bytes)
    throw BadFrame("a frame is longer than the limit");
  return {static_cast<FrameKind>(kind), field_bytes, payload_bytes, reader.take<std::uint64_t>()};
}

}  // namespace

FieldWriter& FieldWriter::put(std::string_view text) {
  text = text.substr(0, 255);
  put(static_cast<std::uint8_t>(text.size()));
  std::ranges::copy(std::as_bytes(std::span(text)), room_for(text.size()).begin());
  return *this;
}

void FieldWriter::throw_too_many() {
  throw std::out_of_range("a frame with too many fields");
}

void FieldReader::throw_too_few() {
  throw BadFrame("a frame has fewer fields than its kind");
}

std::string FieldReader::take_text() {
  const ByteView bytes = take_bytes(take<std::uint8_t>());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool FieldReader::take_truth() {
  const auto byte = take<std::uint8_t>();
  if (byte > 1) throw BadFrame("a truth value is neither 0 nor 1");
  return byte == 1;
}

void FieldReader::finish() const {
  if (!left_.empty()) throw BadFrame("a frame has more fields than its kind");
}

void append_frame_head(Bytes& out, FrameKind kind, const FieldWriter& fields, ByteView payload) {
  if (payload.size() > most_payload_bytes)
    throw std::length_error("a frame with " + std::to_string(payload.size()) + " bytes of payload");
  FieldWriter head;
  head.put(magic).put(protocol_version).put(kind).put(static_cast<std::uint16_t>(fields.bytes().size()));
  head.put(std::uint16_t{0}).put(static_cast<std::uint32_t>(payload.size()));
  head.put(checksum_of(head.bytes(), fields.bytes(), payload));
  for (const ByteView part : {head.bytes(), fields.bytes()}) out.insert(out.end(), part.begin(), part.end());
}

std::optional<Frame> take_frame(ByteView& bytes) {
  if (bytes.size() < frame_header_bytes) {
    // Who says something else altogether may never say enough for a header.
    if (bytes.size() >= 2 && FieldReader(bytes).take<std::uint16_t>() != magic)
      throw BadFrame("the other side does not use this protocol");
    return std::nullopt;
  }
  const Header header = read_header(bytes);
  const std::size_t size = frame_header_bytes + header.field_bytes + header.payload_bytes;
  if (bytes.size() < size) return std::nullopt;
  const Frame frame{header.kind, bytes.subspan(frame_header_bytes, header.field_bytes),
                    bytes.subspan(frame_header_bytes + header.field_bytes, header.payload_bytes)};
  if (checksum_of(bytes.first(checked_header_bytes), frame.fields, frame.payload) != header.checksum)
    throw BadFrame("a frame was damaged on its way");
  bytes = bytes.subspan(size);
  return frame;
}

void FrameReader::keep(ByteView rest) {
  if (rest.empty()) {
    begun_.clear();
  } else if (begun_.empty()) {
    begun_.assign(rest.begin(), rest.end());
  } else {
    begun_.erase(begun_.begin(), begun_.end() - static_cast<std::ptrdiff_t>(rest.size()));
  }
}

}  // namespace loadshare::tcp
