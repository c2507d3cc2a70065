#include "profiler/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <sstream>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "profiler/calls.hpp"
#include "profiler/stored_profile.hpp"
#include "profiler/timeline.hpp"

namespace loadshare::profile {
namespace {

/// The communicators and windows of a run by their ids in its files. The first is MPI_COMM_WORLD. A
/// communicator without a description is added when an event names it.
class CommunicatorTable final {
 public:
  explicit CommunicatorTable(const StoredProfile& stored);

  std::uint32_t index_of(std::uint64_t id);
  std::vector<Communicator> take() { return std::move(communicators_); }

 private:
  void describe(const StoredBlock& block);

  std::unordered_map<std::uint64_t, std::uint32_t> indices_;
  std::vector<Communicator> communicators_;
};

CommunicatorTable::CommunicatorTable(const StoredProfile& stored) {
  Communicator& world = communicators_[index_of(world_id)];
  world.name = "MPI_COMM_WORLD";
  world.members.resize(stored.sections().front().header->ranks_started);
  std::iota(world.members.begin(), world.members.end(), 0);
  for (const StoredSection& section : stored.sections())
    for (const StoredBlock& block : section.blocks)
      if (block.header->kind == BlockKind::communicator) describe(block);
}

std::uint32_t CommunicatorTable::index_of(std::uint64_t id) {
  const auto [known, is_new] = indices_.emplace(id, static_cast<std::uint32_t>(communicators_.size()));
  if (is_new) communicators_.push_back({"a communicator", {}});
  return known->second;
}

/// Overwrites an earlier name: the latest block has the latest one.
void CommunicatorTable::describe(const StoredBlock& block) {
  Communicator& communicator = communicators_[index_of(block.header->communicator)];
  CommunicatorContent content{};
  std::memcpy(&content, block.content, sizeof content);
  communicator.name.assign(content.name.begin(), std::ranges::find(content.name, 0));
  communicator.members.resize(block.header->count);
  if (communicator.members.empty()) return;  // memcpy takes no null pointer, not even for nothing
  std::memcpy(communicator.members.data(), block.content + sizeof content,
              communicator.members.size() * sizeof(std::int32_t));
}

/// "rank 3", or "ranks 3, 4 and 5 more".
std::string rank_list(const std::vector<int>& ranks) {
  constexpr std::size_t most = 8;
  const std::vector<int> first(ranks.begin(),
                               ranks.begin() + static_cast<std::ptrdiff_t>(std::min(most, ranks.size())));
  return fmt::format("{} {}{}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(first, ", "),
                     ranks.size() > most ? fmt::format(" and {} more", ranks.size() - most) : "");
}

std::string name_of_open_call(const RankProfile& rank) {
  const std::string& place = rank.places[rank.open_call->place];
  return fmt::format("{}{}", facts(*rank.open_call).name,
                     place.empty() ? "" : fmt::format(" (called from {})", place));
}

template <typename Which>
void note_ranks(Profile& profile, const std::string& text, Which which) {
  std::vector<int> ranks;
  for (const RankProfile& rank : profile.ranks)
    if (which(rank)) ranks.push_back(rank.rank);
  if (ranks.empty()) return;
  const std::size_t at = text.find("{}");  // places have braces too
  profile.notes.push_back(std::string(text).replace(at, 2, rank_list(ranks)));
}

/// Adds how each rank ended that did not call MPI_Finalize.
void note_endings(Profile& profile) {
  std::set<std::string> calls;
  for (const RankProfile& rank : profile.ranks)
    if (rank.open_call) calls.insert(name_of_open_call(rank));
  for (const std::string& call : calls)
    note_ranks(profile, "{} did not return from " + call,
               [&](const RankProfile& rank) { return rank.open_call && name_of_open_call(rank) == call; });
  std::set<std::string> ends;
  for (const RankProfile& rank : profile.ranks)
    if (!rank.has_finalized && !rank.has_aborted) ends.insert(rank.ended_by);
  for (const std::string& end : ends)
    note_ranks(profile,
               end.empty() ? std::string("{} ended without MPI_Finalize at an unknown time, as after SIGKILL")
                           : "{} ended without MPI_Finalize, by " + end,
               [&](const RankProfile& rank) {
                 return !rank.has_finalized && !rank.has_aborted && rank.ended_by == end;
               });
}

bool is_control(const Event& event) {
  return event.part == Part::call && static_cast<CallId>(event.call) == CallId::Pcontrol;
}

/// Adds the reasons why the profile is partial. The ranks are sorted.
void note_missing_parts(Profile& profile) {
  std::vector<int> missing;
  for (int rank = 0; rank < profile.ranks_started; ++rank)
    if (!std::ranges::binary_search(profile.ranks, rank, {}, &RankProfile::rank)) missing.push_back(rank);
  if (!missing.empty())
    profile.notes.push_back(fmt::format("the profile has no data of {}", rank_list(missing)));
  note_ranks(profile, "{} called MPI_Abort, where the profile ends",
             [](const RankProfile& rank) { return rank.has_aborted; });
  note_endings(profile);
  note_ranks(profile, "the last events of {} are missing (--limit was reached, or the disk was full)",
             [](const RankProfile& rank) { return rank.events_dropped > 0; });
  note_ranks(profile, "the part that MPI_Pcontrol marks is unknown for {}, because events are missing",
             [](const RankProfile& rank) {
               return rank.events_dropped > 0 && std::ranges::any_of(rank.events, is_control);
             });
  note_ranks(profile, "other threads of {} called MPI too; their calls are not recorded",
             [](const RankProfile& rank) { return rank.calls_of_other_threads > 0; });
}

/// Adds that programs started by this one are not in the profile.
void note_started_others(Profile& profile) {
  const auto starts_others = [](const Event& event) {
    const auto call = static_cast<CallId>(event.call);
    return call == CallId::Comm_spawn || call == CallId::Comm_spawn_multiple;
  };
  for (const RankProfile& rank : profile.ranks)
    if (std::ranges::any_of(rank.events, starts_others)) {
      profile.notes.push_back(
          "programs started by MPI_Comm_spawn are not in the profile; waiting for them counts as "
          "communicating");
      return;
    }
}

/// Adds the number of communicators and windows whose members are missing.
void note_groups_dropped(Profile& profile, std::uint64_t count) {
  if (count > 0)
    profile.notes.push_back(fmt::format(
        "the members of {} communicators are unknown (--limit was reached, or the disk was full)", count));
}

template <std::size_t Size>
std::string text_in(const std::array<char, Size>& chars) {
  return {chars.begin(), std::ranges::find(chars, 0)};
}

/// Returns the first `count` texts, each terminated by a zero byte. No text is empty: zeros follow the last
/// one.
std::vector<std::string> texts_in(std::span<const char> chars, std::uint32_t count) {
  std::vector<std::string> texts;
  for (auto at = chars.begin(); texts.size() < count && at < chars.end();) {
    const auto stop = std::find(at, chars.end(), 0);
    if (stop == at) break;  // a damaged count would give one text per zero
    texts.emplace_back(at, stop);
    at = stop == chars.end() ? stop : stop + 1;
  }
  return texts;
}

std::vector<std::string> places_of(const Slot& slot) {
  std::vector<std::string> places = texts_in(slot.place_text, slot.places);
  places.insert(places.begin(), "");
  return places;
}

std::vector<int> processors_of(const Slot& slot) {
  std::vector<int> cpus;
  for (std::size_t i = 0; i < 64 * slot.processors.size(); ++i)
    if ((slot.processors[i / 64] >> (i % 64) & 1) != 0) cpus.push_back(static_cast<int>(i));
  return cpus;
}

/// Returns the time that other programs took from a rank under a limit. The limit itself makes the rank's
/// processor slower; what it withholds is not stolen.
std::int64_t stolen_beyond_limit(std::int64_t busy_ns, std::int64_t stolen_ns, double capacity) {
  const double ran_ns = static_cast<double>(busy_ns - stolen_ns);
  const double all_ns = std::max(0.0, ran_ns / capacity);  // a damaged file's value may exceed every integer
  return all_ns < static_cast<double>(busy_ns) ? busy_ns - static_cast<std::int64_t>(all_ns) : 0;
}

/// Limits the sums to their totals. The recorder converts lost time with the clock rate known at the start of
/// the run. A gap that it has accounted may also be assigned to a test later.
void keep_within(auto& rank) {
  rank.blocked_ns = std::min(rank.blocked_ns, rank.outside_ns);
  rank.stolen_ns = std::min(rank.stolen_ns, rank.outside_ns - rank.blocked_ns);
  rank.stolen_inside_ns = std::min(rank.stolen_inside_ns, rank.inside_ns);
}

void take_limit_out(auto& rank, double capacity) {
  if (capacity >= 1 || capacity <= 0) return;
  rank.stolen_ns = stolen_beyond_limit(rank.outside_ns - rank.blocked_ns, rank.stolen_ns, capacity);
  rank.stolen_inside_ns = stolen_beyond_limit(rank.inside_ns, rank.stolen_inside_ns, capacity);
}

/// A rank's sums at one instant of the run.
struct Sums {
  std::int64_t at_ns = 0;
  std::int64_t inside_ns = 0;
  std::int64_t stolen_ns = 0;
  std::int64_t stolen_inside_ns = 0;
  std::int64_t blocked_ns = 0;
};

/// A call of MPI_Pcontrol, which starts or ends counting.
struct Mark {
  bool begins = false;  ///< true: counting starts here
  Sums sums;
};

void add(Portion& portion, const Sums& begin, const Sums& end) {
  const std::int64_t length_ns = end.at_ns - begin.at_ns;
  // Both values are rounded.
  const std::int64_t inside_ns = std::min(length_ns, end.inside_ns - begin.inside_ns);
  portion.spans.push_back({begin.at_ns, end.at_ns});
  portion.inside_ns += inside_ns;
  portion.outside_ns += length_ns - inside_ns;
  portion.stolen_ns += end.stolen_ns - begin.stolen_ns;
  portion.stolen_inside_ns += end.stolen_inside_ns - begin.stolen_inside_ns;
  portion.blocked_ns += end.blocked_ns - begin.blocked_ns;
}

/// Returns the part that counts, for a rank with marks. `first` and `last` are its sums at its start and end.
Portion counted_of(const std::vector<Mark>& marks, const Sums& first, const Sums& last) {
  Portion counted;
  std::optional<Sums> begun;
  if (!marks.front().begins) begun = first;
  for (const Mark& mark : marks) {
    if (mark.begins == begun.has_value()) continue;
    if (begun) add(counted, *begun, mark.sums);
    begun = mark.begins ? std::optional(mark.sums) : std::nullopt;
  }
  if (begun) add(counted, *begun, last);
  return counted;
}

/// Reads one rank: its slot, and its blocks in the order of their numbers.
class RankReader final {
 public:
  RankReader(const Slot& slot, const StoredSection& section, CommunicatorTable& communicators,
             const std::string& path)
      : slot_(slot),
        section_(section),
        axis_(slot, *section.header),
        communicators_(communicators),
        path_(path) {}

  RankProfile read() {
    RankProfile rank;
    rank.rank = slot_.rank;
    rank.host = printable(text_in(slot_.host));
    rank.cpus = processors_of(slot_);
    rank.has_finalized = slot_.has_finalized != 0;
    rank.has_aborted = slot_.has_aborted != 0;
    rank.begin_ns = axis_.instant_ns(slot_.begin_ticks);
    const Ending ending = ending_of(slot_, axis_);
    rank.end_ns = axis_.instant_ns(ending.end_ticks);
    rank.ended_by = ending.by;
    rank.has_heartbeat = has_heartbeat(slot_);
    const Sums last = read_sums(rank, ending);
    rank.places = places_of(slot_);
    rank.modules = texts_in(slot_.module_text, slot_.modules);
    read_events(rank);
    if (ending.is_in_call) take_open_call(rank, ending);
    if (!marks_.empty() && rank.events_dropped == 0) read_counted(rank, last);
    return rank;
  }

 private:
  /// Returns the ticks inside MPI. The tail is assigned to inside or outside, so that the two sums make up
  /// the rank's time.
  std::uint64_t inside_ticks(const Ending& ending) const {
    const std::uint64_t whole = std::max(slot_.begin_ticks, ending.end_ticks) - slot_.begin_ticks;
    return ending.is_in_call ? whole - std::min(whole, slot_.outside_ticks)
                             : std::min(whole, slot_.inside_ticks);
  }

  /// Sets the rank's sums, and returns them as they were stored.
  Sums read_sums(RankProfile& rank, const Ending& ending) const {
    rank.inside_ns = axis_.length_ns(inside_ticks(ending));
    rank.outside_ns = rank.end_ns - rank.begin_ns - rank.inside_ns;
    rank.stolen_ns = slot_.stolen_ns + ending.lost.stolen_outside_ns;
    rank.stolen_inside_ns = slot_.stolen_inside_ns + ending.lost.stolen_inside_ns;
    rank.blocked_ns = slot_.blocked_ns + ending.lost.blocked_ns;
    rank.is_stolen_known = slot_.is_stolen_known != 0 && ending.is_stolen_known;
    rank.capacity = slot_.capacity;
    const Sums stored{rank.end_ns, rank.inside_ns, rank.stolen_ns, rank.stolen_inside_ns, rank.blocked_ns};
    keep_within(rank);
    take_limit_out(rank, rank.capacity);
    rank.other_threads_cpu_ns = ending.other_threads_cpu_ns;
    rank.calls_of_other_threads = slot_.calls_of_other_threads.load();
    rank.events_dropped = slot_.events_dropped;
    rank.events_end_ns = rank.events_dropped > 0 ? axis_.instant_ns(slot_.events_end_ticks) : rank.end_ns;
    return stored;
  }

  void read_counted(RankProfile& rank, const Sums& last) const {
    Portion& counted = rank.counted.emplace(counted_of(marks_, {.at_ns = rank.begin_ns}, last));
    keep_within(counted);
    take_limit_out(counted, rank.capacity);
  }

  void read_events(RankProfile& rank) {
    std::map<std::uint32_t, StoredBlock> blocks;
    for (const StoredBlock& block : section_.blocks)
      if (block.header->kind == BlockKind::events && block.header->rank == slot_.rank)
        blocks.emplace(block.header->number, block);
    const TailState tail = slot_.tail_state.load();
    for (std::uint32_t number = 0; number < tail.block; ++number) {
      const auto block = blocks.find(number);
      if (block == blocks.end())
        refuse(path_, fmt::format("it is truncated: events of rank {} are missing", rank.rank));
      for (const StoredEvent& event : block->second.events()) take_event(event, rank);
    }
    // A rank that was killed between writing its tail and clearing it has the tail twice. Then the block is
    // left out.
    for (std::uint32_t i = 0; i < tail.events; ++i) take_event(slot_.tail[i], rank);
  }

  void take_event(const StoredEvent& stored, RankProfile& rank) {
    if (stored.part == StoredStolenTime::its_part)
      return take_stolen_time(std::bit_cast<StoredStolenTime>(stored), rank);
    if (stored.part != StoredSums::its_part) return rank.events.push_back(decoded(stored, rank));
    const auto sums = std::bit_cast<StoredSums>(stored);
    if (std::max(sums.end_ticks, sums.inside_ticks) > most_ticks || !is_sane_ns(sums.stolen_ns) ||
        !is_sane_ns(sums.stolen_inside_ns) || !is_sane_ns(sums.blocked_ns))
      refuse(path_, "it is damaged");
    marks_.push_back({sums.level != 0,
                      {axis_.instant_ns(sums.end_ticks), axis_.length_ns(sums.inside_ticks), sums.stolen_ns,
                       sums.stolen_inside_ns, sums.blocked_ns}});
  }

  /// Sets the stolen time of the preceding call. Under a limit it stays 0, because the kernel does not
  /// distinguish other programs from the limit.
  void take_stolen_time(const StoredStolenTime& stored, RankProfile& rank) const {
    if (rank.events.empty() || stored.stolen_ns < 0) refuse(path_, "it is damaged");
    Event& call = rank.events.back();
    if (rank.capacity >= 1)
      call.stolen_ns = std::min(stored.stolen_ns, std::max<std::int64_t>(0, call.inside_ns));
  }

  /// Sets the rank's open call. It joins the events unless events before it were dropped, because the list of
  /// events has no gaps.
  void take_open_call(RankProfile& rank, const Ending& ending) const {
    Event& call = rank.open_call.emplace(decoded(slot_.open, rank));
    call.end_ns = rank.end_ns;
    call.inside_ns = ending.tail_ns;
    rank.ends_in_call = rank.events_dropped == 0;
    if (rank.ends_in_call) rank.events.push_back(call);
  }

  Event decoded(const StoredEvent& stored, const RankProfile& rank) const {
    if (stored.call >= call_count || stored.part > static_cast<std::uint8_t>(Part::member) ||
        std::max({stored.begin_ticks, stored.end_ticks, stored.inside_ticks}) > most_ticks)
      refuse(path_, "it is damaged");
    return {.begin_ns = axis_.instant_ns(stored.begin_ticks),
            .end_ns = axis_.instant_ns(stored.end_ticks),
            .bytes = stored.bytes,
            .peer = stored.peer,
            .tag = stored.tag,
            .request = stored.request,
            .repeats = stored.repeats,
            .inside_ns = axis_.length_ns(stored.inside_ticks),
            .place = stored.place < rank.places.size() ? stored.place : 0,
            .communicator = communicators_.index_of(stored.communicator),
            .call = stored.call,
            .part = static_cast<Part>(stored.part),
            .is_in_place = stored.is_in_place != 0};
  }

  const Slot& slot_;
  const StoredSection& section_;
  ClockAxis axis_;
  CommunicatorTable& communicators_;
  const std::string& path_;
  std::vector<Mark> marks_;
};

void shift(auto& stretch, std::int64_t by_ns) {
  stretch.begin_ns += by_ns;
  stretch.end_ns += by_ns;
}

void begin_at_zero(Profile& profile) {
  std::int64_t begin_ns = profile.ranks.empty() ? 0 : profile.ranks.front().begin_ns;
  for (const RankProfile& rank : profile.ranks) begin_ns = std::min(begin_ns, rank.begin_ns);
  for (RankProfile& rank : profile.ranks) {
    rank.begin_ns -= begin_ns;
    rank.end_ns -= begin_ns;
    rank.events_end_ns -= begin_ns;
    for (Event& event : rank.events) shift(event, -begin_ns);
    if (rank.open_call) shift(*rank.open_call, -begin_ns);
    if (rank.counted)
      for (Span& span : rank.counted->spans) shift(span, -begin_ns);
  }
}

void sort_ranks(Profile& profile, const std::string& path) {
  std::ranges::sort(profile.ranks, {}, &RankProfile::rank);
  if (std::ranges::adjacent_find(profile.ranks, {}, &RankProfile::rank) != profile.ranks.end())
    refuse(path, "it mixes data of several runs");
  for (const RankProfile& rank : profile.ranks)
    if (rank.rank < 0 || rank.rank >= profile.ranks_started) refuse(path, "it is damaged");
}

/// Parses lines of the form "name=value".
std::map<std::string, std::string> settings_in(const std::string& text) {
  std::map<std::string, std::string> settings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t equals = line.find('='); equals != std::string::npos)
      settings[line.substr(0, equals)] = line.substr(equals + 1);
  return settings;
}

}  // namespace

Profile read_profile(const std::string& path) {
  const StoredProfile stored(path);
  CommunicatorTable communicators(stored);
  Profile profile;
  const SectionHeader& first = *stored.sections().front().header;
  profile.program = printable(text_in(first.program));
  profile.mpi = settings_in(text_in(first.mpi));
  profile.ranks_started = static_cast<int>(first.ranks_started);
  std::uint64_t groups_dropped = 0;
  for (const StoredSection& section : stored.sections())
    for (const Slot* slot : section.slots) {
      profile.ranks.push_back(RankReader(*slot, section, communicators, path).read());
      groups_dropped += slot->groups_dropped;
    }
  sort_ranks(profile, path);
  begin_at_zero(profile);
  extend_open_calls(profile);
  profile.communicators = communicators.take();
  note_missing_parts(profile);
  note_started_others(profile);
  note_groups_dropped(profile, groups_dropped);
  const bool all_finalized = std::ranges::all_of(profile.ranks, &RankProfile::has_finalized);
  const bool lost_none =
      std::ranges::all_of(profile.ranks, [](const RankProfile& rank) { return rank.events_dropped == 0; });
  for (const StoredSection& section : stored.sections())
    if (section.is_short && all_finalized && lost_none) refuse(path, "it is truncated");
  return profile;
}

bool is_profile(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;  // opening a pipe would wait forever
  std::ifstream file(path, std::ios::binary);
  std::array<char, file_magic.size()> begin{};
  return file.read(begin.data(), begin.size()) && begin == file_magic;
}

std::vector<std::string> profiles_of_command(const std::string& path, std::uint64_t command_id) {
  std::vector<std::string> found;
  std::string name = path;
  for (int number = 2; is_profile(name); name = fmt::format("{}.{}", path, number++)) {
    SectionHeader header;
    std::ifstream file(name, std::ios::binary);
    if (file.read(reinterpret_cast<char*>(&header), sizeof header) && header.command_id == command_id)
      found.push_back(name);
  }
  return found;
}

bool is_complete(const Profile& profile) {
  return std::cmp_equal(profile.ranks.size(), profile.ranks_started) &&
         std::ranges::all_of(profile.ranks, [](const RankProfile& rank) {
           return rank.has_finalized && rank.events_dropped == 0;
         });
}

}  // namespace loadshare::profile
