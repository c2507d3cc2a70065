#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "runtime/transport/mpi/check.hpp"

namespace loadshare::mpi {

enum class Tag : int {
  order = 1,
  input,
  report,
  result,
  failure,
  relay_note,
  unit_count,
  clock,
  account,
  first_unit
};

constexpr int number(Tag tag) {
  return static_cast<int>(tag);
}

/// Each unit of the shared input has a tag of its own, as any host may be the one that sends it. There are a
/// few hundred, and one each 4 MiB beyond a gigabyte; MPI grants 32767 tags at least, Open MPI 2^31.
inline int unit_tag(std::size_t unit) {
  return number(Tag::first_unit) + static_cast<int>(unit);
}

/// Calls `start(part)` for each message that `bytes` goes as: MPI counts are ints, so a payload of over a
/// gigabyte goes as several, whose order keeps them together. Returns how many.
template <class Byte, class Start>
std::size_t each_segment(std::span<Byte> bytes, Start&& start) {
  constexpr std::size_t segment_bytes = std::size_t{1} << 30;
  std::size_t count = 0;
  for (std::size_t first = 0; first < bytes.size(); first += segment_bytes, ++count)
    start(bytes.subspan(first, std::min(segment_bytes, bytes.size() - first)));
  return count;
}

/// Starts to send or receive a part of a payload.
inline void send_part(std::span<const std::byte> part, int to, Tag tag, MPI_Comm comm, MPI_Request* request) {
  check(MPI_Isend(part.data(), static_cast<int>(part.size()), MPI_BYTE, to, number(tag), comm, request),
        "MPI_Isend");
}
inline void receive_part(std::span<std::byte> part, int from, Tag tag, MPI_Comm comm, MPI_Request* request) {
  check(MPI_Irecv(part.data(), static_cast<int>(part.size()), MPI_BYTE, from, number(tag), comm, request),
        "MPI_Irecv");
}

/// Requests that complete together: one payload.
class Payload {
 public:
  void send(std::span<const std::byte> bytes, int to, Tag tag, MPI_Comm comm) {
    each_segment(bytes, [&](auto part) { send_part(part, to, tag, comm, add()); });
  }
  void receive(std::span<std::byte> bytes, int from, Tag tag, MPI_Comm comm) {
    each_segment(bytes, [&](auto part) { receive_part(part, from, tag, comm, add()); });
  }
  /// Whether all of it has gone or come; moves MPI on.
  bool is_complete() {
    if (requests_.empty()) return true;
    int is_done = 0;
    check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &is_done, MPI_STATUSES_IGNORE),
          "MPI_Testall");
    if (is_done != 0) requests_.clear();
    return is_done != 0;
  }

 private:
  MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  std::vector<MPI_Request> requests_;
};

/// A message of plain data as bytes.
template <class T>
std::span<const std::byte> as_payload(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
std::span<std::byte> as_writable_payload(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace loadshare::mpi
