#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace loadshare::tcp {

// What travels over a connection: frames, one after the other. Pure: bytes in, frames out.
//
//   0  magic "LS"           2 bytes        8  bytes of payload   4 bytes
//   2  version              1 byte        12  checksum           8 bytes
//   3  kind                 1 byte        20  fields, payload
//   4  bytes of fields      2 bytes
//   6  nothing: 0           2 bytes
//
// Numbers are little endian, fields stand one after the other as they were put. The checksum (XXH3, 64 bits)
// is of all else.

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

/// Both ends speak the same or part: the header's first three bytes stay what they are in every version.
inline constexpr std::uint8_t protocol_version = 1;

inline constexpr std::size_t frame_header_bytes = 20;
inline constexpr std::size_t most_field_bytes = 1024;
inline constexpr std::size_t most_payload_bytes = std::size_t{1} << 16;

/// What a frame says; messages.hpp has the fields of each.
enum class FrameKind : std::uint8_t {
  hello = 1,  ///< whoever comes says who it is
  welcome,    ///< it is taken,
  refusal,    ///< or not
  text,       ///< what the master says to all of them
  answer,     ///< what each says to the master
  ready,      ///< a run: this process has its workload
  begin,      ///< ditto: its workers have numbers
  order,
  input,
  recall,
  shared,
  stop,
  alive,  ///< of a worker's process, while a run goes on
  pulse,  ///< the master's answer to that
  progress,
  result,
  report,
  farewell,   ///< nothing more comes
  inquiry,    ///< of somebody who looks on
  listing,    ///< the answer to that, a worker
  offer,      ///< a piece of the shared input, by its hash
  wanted,     ///< the answer to that
  dismissal,  ///< the master says to a worker's process that it is to end
};
inline constexpr auto last_kind = FrameKind::dismissal;

/// What cannot be a frame of ours: spoilt, of another version, or of another program altogether.
class BadFrame final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A frame as it was received; lives as long as the bytes that it was found in.
struct Frame {
  FrameKind kind{};
  ByteView fields;
  ByteView payload;
};

// Little endian; unrolled, each is one store or load.
template <std::size_t bytes>
void put_bits(std::uint64_t bits, std::byte* place) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < bytes; ++i) place[i] = static_cast<std::byte>(bits >> (8 * i));
}
template <std::size_t bytes>
std::uint64_t take_bits(const std::byte* place) {
  std::uint64_t bits = 0;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < bytes; ++i) bits |= std::to_integer<std::uint64_t>(place[i]) << (8 * i);
  return bits;
}

/// Puts a frame's fields together. Throws std::out_of_range where they are more than most_field_bytes.
class FieldWriter {
 public:
  template <class Number>
  requires(std::is_integral_v<Number> || std::is_enum_v<Number>) FieldWriter& put(Number number) {
    put_bits<sizeof(Number)>(static_cast<std::uint64_t>(number), room_for(sizeof(Number)).data());
    return *this;
  }
  FieldWriter& put(double number) { return put(std::bit_cast<std::uint64_t>(number)); }
  FieldWriter& put(float number) { return put(std::bit_cast<std::uint32_t>(number)); }
  /// At most 255 bytes of it.
  FieldWriter& put(std::string_view text);

  ByteView bytes() const { return ByteView(bytes_).first(size_); }

 private:
  std::span<std::byte> room_for(std::size_t bytes) {
    if (bytes > bytes_.size() - size_) throw_too_many();
    const auto room = std::span(bytes_).subspan(size_, bytes);
    size_ += bytes;
    return room;
  }

  [[noreturn]] static void throw_too_many();

  std::array<std::byte, most_field_bytes> bytes_;
  std::size_t size_ = 0;
};

/// Takes them apart again. Throws BadFrame where there are fewer.
class FieldReader {
 public:
  explicit FieldReader(ByteView fields) : left_(fields) {}

  template <class Number>
  Number take() {
    if constexpr (std::is_same_v<Number, double>) {
      return std::bit_cast<double>(take<std::uint64_t>());
    } else if constexpr (std::is_same_v<Number, float>) {
      return std::bit_cast<float>(take<std::uint32_t>());
    } else if constexpr (std::is_same_v<Number, std::string>) {
      return take_text();
    } else if constexpr (std::is_same_v<Number, bool>) {
      return take_truth();
    } else {
      return static_cast<Number>(take_bits<sizeof(Number)>(take_bytes(sizeof(Number)).data()));
    }
  }
  /// Throws BadFrame where there are more.
  void finish() const;

 private:
  ByteView take_bytes(std::size_t count) {
    if (count > left_.size()) throw_too_few();
    const ByteView taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  [[noreturn]] static void throw_too_few();
  std::string take_text();
  bool take_truth();

  ByteView left_;
};

/// Appends a frame up to where its payload begins, which is to follow as it is. Throws std::length_error
/// where the payload is too long.
void append_frame_head(Bytes& out, FrameKind kind, const FieldWriter& fields, ByteView payload = {});

/// Takes the next frame off `bytes`; nothing where it is not all there. Throws BadFrame as soon as it is
/// known that none will come of these bytes.
std::optional<Frame> take_frame(ByteView& bytes);

/// Cuts what arrives, however it is cut on its way, into frames.
class FrameReader {
 public:
  /// Calls `visit(frame)` for each frame that is complete with these bytes. Throws BadFrame, and whatever
  /// `visit` throws. Where `visit` returns false, what follows is for nobody.
  template <class Visit>
  void feed(ByteView bytes, Visit&& visit) {
    if (!begun_.empty()) {
      begun_.insert(begun_.end(), bytes.begin(), bytes.end());
      bytes = begun_;
    }
    while (const std::optional<Frame> frame = take_frame(bytes))
      if (!visit(*frame)) return;
    keep(bytes);
  }
  /// Whether a frame has begun that is not complete.
  bool has_begun() const { return !begun_.empty(); }

 private:
  void keep(ByteView rest);

  Bytes begun_;
};

}  // namespace loadshare::tcp
