#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
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
  from_master,
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
    // Unlike MPI_Testall, which moves MPI on and does not look again, MPI_Test sees what has just come.
    for (int is_done = 0; !requests_.empty(); requests_.pop_back()) {
      check(MPI_Test(&requests_.back(), &is_done, MPI_STATUS_IGNORE), "MPI_Test");
      if (is_done == 0) return false;
    }
    return true;
  }

 private:
  MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  std::vector<MPI_Request> requests_;
};

/// Whether MPI itself yields the core where it is called in vain, as it does where mpirun knows of more ranks
/// than cores.
inline bool yields_by_itself() {
  const auto is_on = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value == '1';
  };
  return is_on("OMPI_MCA_mpi_oversubscribe") || is_on("OMPI_MCA_mpi_yield_when_idle");
}

/// A message of plain data as bytes.
template <class T>
std::span<const std::byte> as_payload(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
std::span<std::byte> as_writable_payload(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// Many requests of which any may complete next, each with a key to know it by. One call looks at all of
/// them, since each look moves all of MPI on, which costs a guest's processor more than the looking.
class RequestSet {
 public:
  /// Where MPI writes a new request, to be used at once.
  MPI_Request* add(std::size_t key) {
    keys_.push_back(key);
    ++pending_;
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }
  bool is_empty() const { return pending_ == 0; }
  std::size_t pending() const { return pending_; }

  /// Calls `on_complete(key, source)` for each that has completed; it may add others. Returns whether any
  /// had.
  template <class OnComplete>
  bool take_completed(OnComplete&& on_complete) {
    if (pending_ == 0) return false;
    int count = 0;
    places_.resize(requests_.size());
    statuses_.resize(requests_.size());
    check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, places_.data(),
                       statuses_.data()),
          "MPI_Testsome");
    if (count <= 0) return false;
    pending_ -= static_cast<std::size_t>(count);
    completed_.clear();
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      completed_.push_back({keys_[static_cast<std::size_t>(places_[at])], statuses_[at].MPI_SOURCE});
    }
    forget_completed();
    for (const Completed& one : completed_) on_complete(one.key, one.source);
    return true;
  }

  /// Gives up receives that nobody will answer.
  void cancel() {
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      check(MPI_Cancel(&request), "MPI_Cancel");
      check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
    requests_.clear();
    keys_.clear();
    pending_ = 0;
  }

 private:
  struct Completed {
    std::size_t key;
    int source;
  };

  void forget_completed() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      keys_[kept++] = keys_[i];
    }
    requests_.resize(kept);
    keys_.resize(kept);
  }

  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> keys_;
  std::size_t pending_ = 0;
  std::vector<int> places_;
  std::vector<MPI_Status> statuses_;
  std::vector<Completed> completed_;
};

/// Messages of one kind from one rank, received several at a time and told of in their order: those that have
/// come then cost one look at MPI, not one each. Their requests are in a set that may hold others, too.
template <class Message>
class Inbox {
 public:
  static constexpr std::size_t most = 4;

  /// Its keys in the set are the next `most` from `first_key` on.
  Inbox(int from, Tag tag, MPI_Comm comm, RequestSet& set, std::size_t first_key, std::size_t at_a_time)
      : from_(from), tag_(tag), comm_(comm), set_(set), first_key_(first_key), count_(at_a_time) {
    for (std::size_t place = 0; place < count_; ++place) receive(place);
  }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  void arrived(std::size_t key) { is_here_[key - first_key_] = true; }
  bool has_next() const { return is_here_[next_]; }
  /// Only when has_next().
  const Message& front() const { return messages_[next_]; }
  /// Receives another in its place.
  void pop() {
    is_here_[next_] = false;
    receive(next_);
    next_ = (next_ + 1) % count_;
  }

 private:
  void receive(std::size_t place) {
    receive_part(as_writable_payload(messages_[place]), from_, tag_, comm_, set_.add(first_key_ + place));
  }

  int from_;
  Tag tag_;
  MPI_Comm comm_;
  RequestSet& set_;
  std::size_t first_key_;
  std::size_t count_;
  std::size_t next_ = 0;
  std::array<Message, most> messages_;
  std::array<bool, most> is_here_{};
};

}  // namespace loadshare::mpi
