#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profiler/format.hpp"

namespace loadshare::profile {

/// A folder of this process only, because the tests of another build may run at the same time.
class Scratch {
 public:
  Scratch() { std::filesystem::create_directory(path_); }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_ =
      (std::filesystem::temp_directory_path() / "profile").string() + "_" + std::to_string(getpid());
};

inline std::string path_in_scratch(const std::string& name) {
  static const Scratch scratch;
  return scratch.path_of(name);
}

/// A profile as the profiler writes it: 1 tick per nanosecond, and for each rank one block and one event in
/// its tail.
class File {
 public:
  explicit File(std::uint32_t ranks, std::uint64_t run_id = 99)
      : bytes_(slot_offset(ranks)), run_id_(run_id) {
    SectionHeader& header = at<SectionHeader>(0);
    header.magic = file_magic;
    header.version = format_version;
    header.calls = call_count;
    header.run_id = run_id;
    header.slot_bytes = slot_bytes;
    header.slots = header.ranks_started = ranks;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) begin(rank);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) add_block(rank);
  }

  SectionHeader& header() { return at<SectionHeader>(0); }
  Slot& slot(std::uint32_t rank) { return at<Slot>(slot_offset(rank)); }
  std::vector<char>& bytes() { return bytes_; }
  const std::vector<char>& bytes() const { return bytes_; }

  void add_communicator(std::uint64_t id) {
    const CommunicatorContent content{};
    append({.magic = block_magic,
            .run_id = run_id_,
            .kind = BlockKind::communicator,
            .rank = 0,
            .number = 0,
            .count = 0,
            .content_bytes = sizeof content,
            .communicator = id,
            .unused = {}},
           content);
  }

  std::string write(const std::string& name) const {
    const std::string path = path_in_scratch(name);
    std::ofstream(path, std::ios::binary).write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    return path;
  }

 private:
  template <typename T>
  T& at(std::size_t offset) {
    return *reinterpret_cast<T*>(bytes_.data() + offset);
  }

  static StoredEvent event(CallId call, std::uint64_t begin) {
    StoredEvent made{};
    made.begin_ticks = begin;
    made.end_ticks = begin + 10;
    made.inside_ticks = 10;
    made.call = static_cast<std::uint16_t>(call);
    return made;
  }

  void begin(std::uint32_t rank) {
    Slot& one = slot(rank);
    one.run_id = run_id_;
    one.rank = static_cast<std::int32_t>(rank);
    one.has_finalized = 1;
    one.capacity = 1;
    one.first_clock = {0, 5000};
    one.last_clock = {1000, 6000};
    one.begin_ticks = 100 + rank;
    one.end_ticks = 900;
    one.inside_ticks = 20;
    one.outside_ticks = 780 - rank;
    one.tail[0] = event(CallId::Barrier, 300);
    one.tail_state = TailState{1, 1};
  }

  void add_block(std::uint32_t rank) {
    const StoredEvent content = event(CallId::Send, 200);
    append({.magic = block_magic,
            .run_id = run_id_,
            .kind = BlockKind::events,
            .rank = static_cast<std::int32_t>(rank),
            .number = 0,
            .count = 1,
            .content_bytes = sizeof content,
            .communicator = 0,
            .unused = {}},
           content);
  }

  template <typename Content>
  void append(const BlockHeader& block, const Content& content) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + sizeof block + sizeof content);
    std::memcpy(bytes_.data() + end, &block, sizeof block);
    std::memcpy(bytes_.data() + end + sizeof block, &content, sizeof content);
    header().end = bytes_.size();
  }

  std::vector<char> bytes_;
  std::uint64_t run_id_;
};

}  // namespace loadshare::profile
