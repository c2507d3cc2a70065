#include "profiler/stored_profile.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/io/descriptor.hpp"
#include "base/io/error_text.hpp"

namespace loadshare::profile {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_unreadable(const std::string& path) {
  throw UsageError(fmt::format("cannot read {}", path), error_text(errno));
}

constexpr std::uint32_t most_ranks = 1 << 20;

bool is_sane(const ClockPair& clock) {
  return clock.ticks <= most_ticks && is_sane_ns(clock.monotonic_ns);
}

bool is_sane(const Heartbeat& heartbeat) {
  return is_sane(heartbeat.clock) && is_sane_ns(heartbeat.ran_ns) && is_sane_ns(heartbeat.waited_ns) &&
         is_sane_ns(heartbeat.other_threads_cpu_ns);
}

bool is_sane(const Slot& slot) {
  const auto is_sane_one = [](const auto& one) { return is_sane(one); };
  return is_sane(slot.first_clock) && is_sane(slot.last_clock) && is_sane(slot.final_heartbeat) &&
         std::ranges::all_of(slot.heartbeats, is_sane_one) &&
         std::max({slot.begin_ticks, slot.end_ticks, slot.inside_ticks, slot.outside_ticks,
                   slot.events_end_ticks}) <= most_ticks &&
         is_sane_ns(slot.stolen_ns) && is_sane_ns(slot.stolen_inside_ns) && is_sane_ns(slot.blocked_ns) &&
         is_sane_ns(slot.other_threads_cpu_ns);
}

/// Reads and checks one section; `rest` is the file from the section's start.
class SectionReader final {
 public:
  SectionReader(std::span<const std::byte> rest, const std::string& path) : rest_(rest), path_(path) {}

  StoredSection read() {
    StoredSection section;
    section.header = &checked_header();
    read_slots(section);
    read_blocks(section);
    return section;
  }

 private:
  const SectionHeader& checked_header() const {
    const auto* header = reinterpret_cast<const SectionHeader*>(rest_.data());
    if (rest_.size() < file_magic.size() || header->magic != file_magic)
      refuse(path_, "it is not a profile", "give a file that `loadshare profile` wrote");
    if (rest_.size() < page_bytes) refuse(path_, "it is truncated");
    if (header->version != format_version)
      refuse(path_,
             fmt::format("it has format version {}, but this loadshare reads version {}", header->version,
                         format_version),
             "use the loadshare that wrote it");
    if (header->calls != call_count || header->slot_bytes != slot_bytes)
      refuse(path_, "another build of loadshare wrote it", "use the loadshare that wrote it");
    if (header->slots > (rest_.size() - page_bytes) / slot_bytes) refuse(path_, "it is truncated");
    const auto is_sane_offset = [](const ClockOffset& offset) {
      return is_sane_ns(offset.at_ns) && is_sane_ns(offset.ahead_ns);
    };
    if (header->end < slot_offset(header->slots) || header->slots > header->ranks_started ||
        header->ranks_started > most_ranks || !std::ranges::all_of(header->offsets, is_sane_offset))
      refuse(path_, "it is damaged");
    return *header;
  }

  void read_slots(StoredSection& section) const {
    for (std::size_t i = 0; i < section.header->slots; ++i) {
      const auto* slot = reinterpret_cast<const Slot*>(rest_.data() + slot_offset(i));
      if (slot->run_id == 0) continue;
      require_run(*section.header, slot->run_id);
      if (slot->tail_state.load().events > tail_events || !is_sane(*slot)) refuse(path_, "it is damaged");
      section.slots.push_back(slot);
    }
  }

  /// Reads all blocks. A rank that was killed while it wrote leaves a hole: blocks after it are found by
  /// their magic number.
  void read_blocks(StoredSection& section) const {
    const std::size_t end = std::min<std::size_t>(rest_.size(), section.header->end);
    std::size_t at = slot_offset(section.header->slots);
    while (at + block_unit <= end) {
      const auto* block = reinterpret_cast<const BlockHeader*>(rest_.data() + at);
      at += block_unit;
      if (block->magic != block_magic) continue;
      require_run(*section.header, block->run_id);
      if (block->content_bytes > end - at) break;
      if (!counts_fit(*block)) refuse(path_, "it is damaged");
      section.blocks.push_back({block, rest_.data() + at});
      at += rounded_to_unit(block->content_bytes);
    }
    section.is_short = rest_.size() + block_unit <= section.header->end;
  }

  static bool counts_fit(const BlockHeader& block) {
    if (block.kind == BlockKind::events) return block.content_bytes == block.count * sizeof(StoredEvent);
    return block.kind == BlockKind::communicator &&
           block.content_bytes == sizeof(CommunicatorContent) + block.count * sizeof(std::int32_t);
  }

  void require_run(const SectionHeader& header, std::uint64_t run_id) const {
    if (run_id != header.run_id) refuse(path_, "it mixes data of several runs");
  }

  std::span<const std::byte> rest_;
  const std::string& path_;
};

/// Returns whether an incomplete block may follow the end, because the disk was full or a rank was killed.
bool may_have_torn_block(const StoredSection& section) {
  return std::ranges::any_of(section.slots, [](const Slot* slot) {
    return slot->events_dropped > 0 || slot->groups_dropped > 0 || slot->has_finalized == 0;
  });
}

std::size_t next_page(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Returns whether the run ended while other kernels' sections were appended to rank 0's. Those kernels' own
/// files are then still complete.
bool has_cut_merge(const StoredSection& section, std::span<const std::byte> rest) {
  const SectionHeader& own = *section.header;
  const std::size_t begin = next_page(own.end);
  if (own.merged_bytes != 0 || own.slots >= own.ranks_started || rest.size() <= begin) return false;
  std::array<std::byte, offsetof(SectionHeader, slot_bytes)> found{};  // possibly incomplete
  std::ranges::copy(rest.subspan(begin).first(std::min(found.size(), rest.size() - begin)), found.begin());
  std::array<std::byte, found.size()> same{};
  std::memcpy(same.data(), &own, same.size());
  return std::ranges::equal(
      found, same, [](std::byte one, std::byte other) { return one == other || one == std::byte{0}; });
}

/// Returns whether the bytes are padding up to the next page, which remains when appended sections are cut
/// off again.
bool is_padding(std::span<const std::byte> behind, std::size_t most_bytes) {
  return behind.size() <= most_bytes &&
         std::ranges::all_of(behind, [](std::byte one) { return one == std::byte{0}; });
}

/// Returns whether bytes follow the section that were not written with it, as after joining two files.
bool holds_more(const StoredSection& section, std::span<const std::byte> rest) {
  if (rest.size() <= section.header->end || has_cut_merge(section, rest)) return false;
  const auto behind = rest.subspan(section.header->end);
  if (is_padding(behind, next_page(section.header->end) - section.header->end)) return false;
  return !may_have_torn_block(section) ||
         !std::ranges::search(behind, std::as_bytes(std::span(file_magic))).empty();
}

}  // namespace

FileBytes::FileBytes(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (file.number() < 0 || fstat(file.number(), &info) != 0) refuse_unreadable(path);
  if (!S_ISREG(info.st_mode))
    throw UsageError(fmt::format("cannot read {}", path), "it is not a regular file");
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ == 0) return;
  void* memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (memory == MAP_FAILED) refuse_unreadable(path);
  data_ = static_cast<const std::byte*>(memory);
}

FileBytes::~FileBytes() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

void refuse(const std::string& path, const std::string& why, const char* suggestion) {
  throw UsageError(fmt::format("cannot read the profile {}", path), why, suggestion);
}

StoredProfile::StoredProfile(const std::string& path) {
  take_file(path);
  if (ranks_found() < sections_.front().header->ranks_started) take_parts(path);
}

void StoredProfile::take_file(const std::string& path) {
  const FileBytes& file = *files_.emplace_back(std::make_unique<FileBytes>(path));
  for (std::size_t at = 0, next = 0;; at = next) {
    if (at % page_bytes != 0) refuse(path, "it is damaged");
    if (at > file.size()) refuse(path, "it is truncated");
    const StoredSection& section =
        sections_.emplace_back(SectionReader({file.data() + at, file.size() - at}, path).read());
    if (section.header->run_id != sections_.front().header->run_id)
      refuse(path, "it mixes data of several runs");
    const bool is_first = at == 0;
    next = is_first ? section.header->merged_bytes : at + next_page(section.header->end);
    const bool is_last = is_first ? next == 0 : next >= next_page(file.size());
    if (!is_last && next <= at) refuse(path, "it is damaged");
    if (is_last && holds_more(section, {file.data() + at, file.size() - at}))
      refuse(path, "other data follows its end", "keep each profile in a file of its own");
    if (is_last) return;
  }
}

void StoredProfile::take_parts(const std::string& path) {
  const fs::path file = fs::absolute(path);
  const std::string begin = file.filename().string() + ".rank";
  std::set<std::string> parts;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(file.parent_path(), none))
    if (entry.path().filename().string().starts_with(begin)) parts.insert(entry.path().string());
  for (const std::string& part : parts) {
    const FileBytes bytes(part);
    if (bytes.size() < page_bytes) continue;
    const auto& header = *reinterpret_cast<const SectionHeader*>(bytes.data());
    if (header.magic == file_magic && header.run_id == sections_.front().header->run_id) take_file(part);
  }
}

std::size_t StoredProfile::ranks_found() const {
  std::size_t ranks = 0;
  for (const StoredSection& section : sections_) ranks += section.header->slots;
  return ranks;
}

}  // namespace loadshare::profile
