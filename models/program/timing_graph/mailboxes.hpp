#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "models/program/timing_graph/program.hpp"

namespace loadshare::timing_graph {

inline constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

/// What waits at a process for its other half: sent messages nobody received yet, receives nothing came for.
/// Both are numbers with a source (or any) and a tag (or any), and are found in the order in which they came.
class Mailboxes final {
 public:
  explicit Mailboxes(const Program& program);

  struct Entry {
    std::int32_t source = 0;
    std::int32_t tag = 0;
    std::uint32_t item = 0;
    std::uint32_t next = nothing;
  };

  void add_message(std::int32_t destination, Entry entry) {
    append(box(destination, entry.source).messages, entry);
  }
  void add_receive(std::int32_t destination, Entry entry) {
    append(box(destination, entry.source).receives, entry);
  }
  /// The oldest message that a receive takes; it is removed. `nothing` where there is none.
  std::uint32_t take_message(std::int32_t destination, std::int32_t source, std::int32_t tag);
  /// The oldest receive that takes a message; it is removed.
  std::uint32_t take_receive(std::int32_t destination, std::int32_t source, std::int32_t tag);

  std::vector<std::uint32_t> messages_left() const;
  std::vector<std::uint32_t> receives_left() const;

 private:
  struct List {
    std::uint32_t first = nothing;
    std::uint32_t last = nothing;
  };
  struct Box {
    List messages;
    List receives;
  };

  Box& box(std::int32_t destination, std::int32_t source);
  void append(List& list, Entry entry);
  template <class Fits>
  std::uint32_t take(List& list, Fits fits);
  std::vector<std::uint32_t> left(List Box::*list) const;

  std::vector<bool> has_open_receives_;  ///< by process: some receive takes from any source: one box for all
  std::unordered_map<std::uint64_t, Box> boxes_;
  std::vector<Entry> entries_;
};

}  // namespace loadshare::timing_graph
