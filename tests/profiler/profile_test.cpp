#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.hpp"
#include "profiler/format.hpp"
#include "tests/profiler/made_profile.hpp"

namespace loadshare::profile {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& path) {
  try {
    read_profile(path);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(Reader, GivesTimesSinceTheFirstRanksBegin) {
  const Profile profile = read_profile(File(2).write("times"));
  ASSERT_EQ(profile.ranks.size(), 2U);
  const RankProfile& second = profile.ranks[1];
  EXPECT_EQ(profile.ranks[0].begin_ns, 0);
  EXPECT_EQ(second.begin_ns, 1);
  EXPECT_EQ(second.end_ns, 800);
  ASSERT_EQ(second.events.size(), 2U);
  EXPECT_EQ(facts(second.events[0]).name, "MPI_Send");
  EXPECT_EQ(second.events[0].begin_ns, 100);
  EXPECT_EQ(facts(second.events[1]).kind, CallKind::all_to_all);
  EXPECT_TRUE(is_complete(profile));
  EXPECT_TRUE(profile.notes.empty());
}

StoredEvent sums_at(std::uint64_t ticks, std::uint64_t inside, std::int64_t stolen_ns, std::int32_t level) {
  return std::bit_cast<StoredEvent>(StoredSums{.end_ticks = ticks,
                                               .inside_ticks = inside,
                                               .stolen_ns = stolen_ns,
                                               .stolen_inside_ns = 0,
                                               .blocked_ns = 2 * stolen_ns,
                                               .unused = {},
                                               .level = level,
                                               .call = static_cast<std::uint16_t>(CallId::Pcontrol),
                                               .more_unused = 0});
}

File with_sums(const std::vector<StoredEvent>& sums) {
  File file(1);
  Slot& slot = file.slot(0);
  slot.stolen_ns = 100;
  slot.blocked_ns = 200;
  std::ranges::copy(sums, slot.tail.begin() + 1);
  slot.tail_state = TailState{1, static_cast<std::uint32_t>(1 + sums.size())};
  return file;
}

TEST(Counted, CoversTheTimeBetweenMarks) {
  const RankProfile rank =
      read_profile(with_sums({sums_at(300, 12, 10, 1), sums_at(400, 15, 30, 0), sums_at(500, 15, 50, 2),
                              sums_at(550, 15, 50, 1), sums_at(600, 20, 51, 0)})
                       .write("counted"))
          .ranks[0];
  ASSERT_TRUE(rank.counted);
  ASSERT_EQ(rank.counted->spans.size(), 2u);
  EXPECT_EQ(rank.counted->spans[0].begin_ns, 200);
  EXPECT_EQ(rank.counted->spans[0].end_ns, 300);
  EXPECT_EQ(rank.counted->spans[1].begin_ns, 400);
  EXPECT_EQ(rank.counted->spans[1].end_ns, 500);
  EXPECT_EQ(rank.counted->inside_ns, 3 + 5);
  EXPECT_EQ(rank.counted->outside_ns, 200 - 8);
  EXPECT_EQ(rank.counted->stolen_ns, 20 + 1);
  EXPECT_EQ(rank.counted->blocked_ns, 40 + 2);
  EXPECT_EQ(rank.events.size(), 2u) << "sums are no events";
}

TEST(Counted, BeginsWithTheRunIfTheFirstMarkEndsIt) {
  const RankProfile rank =
      read_profile(with_sums({sums_at(300, 12, 10, 0), sums_at(400, 15, 30, 1)}).write("first")).ranks[0];
  ASSERT_TRUE(rank.counted);
  ASSERT_EQ(rank.counted->spans.size(), 2u);
  EXPECT_EQ(rank.counted->spans[0].begin_ns, 0);
  EXPECT_EQ(rank.counted->spans[1].end_ns, rank.end_ns);
  EXPECT_EQ(rank.counted->stolen_ns, 10 + (100 - 30));
}

TEST(Counted, IsUnknownWithoutMarksOrWithMissingEvents) {
  EXPECT_FALSE(read_profile(File(1).write("unmarked")).ranks[0].counted);
  File file = with_sums({sums_at(300, 12, 10, 1)});
  file.slot(0).tail[0].call = static_cast<std::uint16_t>(CallId::Pcontrol);
  file.slot(0).events_dropped = 1;
  const Profile profile = read_profile(file.write("dropped"));
  EXPECT_FALSE(profile.ranks[0].counted);
  EXPECT_THAT(profile.notes,
              testing::Contains(HasSubstr("the part that MPI_Pcontrol marks is unknown for rank 0")));
}

/// A test that was unsuccessful three times, with 5 ticks of the program between the attempts.
StoredEvent in_vain(std::uint64_t begin, std::uint64_t end) {
  StoredEvent made{};
  made.begin_ticks = begin;
  made.end_ticks = end;
  made.inside_ticks = end - begin - (end - begin > 5 ? 5 : 0);
  made.call = static_cast<std::uint16_t>(CallId::Iprobe);
  made.repeats = 3;
  return made;
}

/// Unsuccessful tests without a pause from tick 100 to 900.
File without_pause(std::uint64_t ticks_in_1000_ns) {
  File file(1);
  Slot& slot = file.slot(0);
  slot.last_clock.ticks = ticks_in_1000_ns;
  slot.inside_ticks = slot.outside_ticks = 0;
  std::uint32_t events = 0;
  for (std::uint64_t at = 100; at < 900; ++events) {
    const std::uint64_t end = std::min<std::uint64_t>(900, at + 1 + events % 17);
    slot.tail[events] = in_vain(at, end);
    slot.inside_ticks += slot.tail[events].inside_ticks;
    at = end;
  }
  slot.outside_ticks = 800 - slot.inside_ticks;
  slot.tail_state = TailState{0, events};
  return file;
}

void expect_parts_within(const RankProfile& rank) {
  std::int64_t inside_ns = 0;
  for (const Event& event : rank.events) {
    EXPECT_LE(event.inside_ns, event.end_ns - event.begin_ns);
    inside_ns += event.inside_ns;
  }
  EXPECT_LE(inside_ns, rank.inside_ns);
  EXPECT_EQ(rank.inside_ns + rank.outside_ns, rank.end_ns - rank.begin_ns);
  EXPECT_GE(rank.outside_ns, 0);
  EXPECT_LE(rank.stolen_ns + rank.blocked_ns, rank.outside_ns);
  EXPECT_LE(rank.stolen_inside_ns, rank.inside_ns);
}

/// Holds for any rate of the counter and any drift of the other kernel.
TEST(Reader, NoPartIsLongerThanItsWhole) {
  for (const std::uint64_t ticks : {97u, 300u, 700u, 1000u, 1437u, 2112u, 2448u, 3000u, 3499u})
    for (const std::int64_t drift_ns : {-950, -50, 0, 3, 140, 1000}) {
      SCOPED_TRACE(fmt::format("{} ticks in 1000 ns, drifts by {} ns a ms", ticks, drift_ns));
      File file = without_pause(ticks);
      file.header().offsets = {ClockOffset{5000, 40}, ClockOffset{1'005'000, 40 + drift_ns}};
      expect_parts_within(read_profile(file.write("parts")).ranks[0]);
    }
}

/// The profiler estimates the counter's rate differently from the reader, which knows the end of the run.
TEST(Reader, LostTimeNeverExceedsTheTotal) {
  File file = without_pause(2448);
  Slot& slot = file.slot(0);
  slot.blocked_ns = slot.stolen_ns = static_cast<std::int64_t>(slot.outside_ticks) / 4;
  slot.stolen_inside_ns = static_cast<std::int64_t>(slot.inside_ticks) / 2;
  const RankProfile rank = read_profile(file.write("lost")).ranks[0];
  expect_parts_within(rank);
  EXPECT_EQ(rank.blocked_ns, slot.blocked_ns);
  EXPECT_EQ(rank.stolen_ns, rank.outside_ns - rank.blocked_ns);
  EXPECT_EQ(rank.stolen_inside_ns, rank.inside_ns);
}

/// The rank was killed between two stores: the sum contains the piece, but the end is still at the piece's
/// begin.
TEST(Reader, CountsAPieceOnceIfItsRankWasKilledWhileCounting) {
  for (const bool is_in_call : {true, false}) {
    File file(1);
    Slot& slot = file.slot(0);
    slot.has_finalized = 0;
    slot.heartbeats[0].clock = {950, 5950};
    if (is_in_call) slot.open.begin_ticks = slot.end_ticks;
    (is_in_call ? slot.inside_ticks : slot.outside_ticks) += 40;
    const RankProfile rank = read_profile(file.write("counting")).ranks[0];
    EXPECT_EQ(rank.inside_ns, is_in_call ? 20 + 50 : 20);
    EXPECT_EQ(rank.outside_ns, is_in_call ? 780 : 780 + 50);
  }
}

/// A run of this length, half of it inside MPI.
File lasting(std::int64_t ns) {
  File file(1);
  Slot& slot = file.slot(0);
  slot.last_clock = {static_cast<std::uint64_t>(ns), 5000 + ns};
  slot.begin_ticks = 0;
  slot.end_ticks = slot.last_clock.ticks;
  slot.inside_ticks = slot.outside_ticks = slot.end_ticks / 2;
  return file;
}

/// In a very short run the difference of two readings is only their error.
TEST(Reader, ImpreciseReadingsMakeAShortRunNeitherLongerNorShorter) {
  constexpr std::int64_t ms = 1'000'000;
  for (const std::int64_t error_ns : {-9 * ms, -20'000l, 1100l, 20'000l, 300'000l, ms, 9 * ms}) {
    SCOPED_TRACE(error_ns);
    File file = lasting(ms);
    file.header().offsets = {ClockOffset{5000, 40}, ClockOffset{5000 + ms, 40 + error_ns}};
    const RankProfile rank = read_profile(file.write("short")).ranks[0];
    EXPECT_EQ(rank.end_ns - rank.begin_ns, ms);
    EXPECT_EQ(rank.inside_ns, ms / 2);
    EXPECT_EQ(rank.events[0].inside_ns, 10);
    expect_parts_within(rank);
  }
}

TEST(Reader, CorrectsAnotherKernelsClock) {
  constexpr std::int64_t second_ns = 1'000'000'000;
  File file = lasting(second_ns);
  file.header().offsets = {ClockOffset{5000, 40}, ClockOffset{5000 + second_ns, 40 + 100'000}};
  const RankProfile rank = read_profile(file.write("clock")).ranks[0];
  EXPECT_EQ(rank.end_ns - rank.begin_ns, second_ns - 100'000);
  EXPECT_EQ(rank.inside_ns, (second_ns - 100'000) / 2);
}

TEST(Reader, SeparatesALimitFromStolenTime) {
  File file(1);
  file.slot(0).capacity = 0.5;
  file.slot(0).blocked_ns = 80;
  file.slot(0).stolen_ns = 400;  // ran for 300 of 700: 600 at the half speed that the host grants
  const RankProfile rank = read_profile(file.write("limit")).ranks[0];
  EXPECT_EQ(rank.outside_ns, 780);
  EXPECT_EQ(rank.stolen_ns, 100);
}

TEST(Reader, SeparatesALimitFromStolenTimeInside) {
  File file(1);
  file.slot(0).capacity = 0.5;
  file.slot(0).inside_ticks = 100;
  file.slot(0).stolen_inside_ns = 60;  // ran for 40 of 100: 80 at the half speed
  EXPECT_EQ(read_profile(file.write("limit_inside")).ranks[0].stolen_inside_ns, 20);
}

TEST(Reader, DistinguishesMoreCommunicatorsThanSixteenBitsCount) {
  constexpr std::uint64_t many = 70'000;
  File file(2);
  for (std::uint64_t id = 1; id <= many; ++id) file.add_communicator(id);
  file.slot(0).tail[0].communicator = many - 1;
  file.slot(1).tail[0].communicator = many;
  const Profile profile = read_profile(file.write("many"));
  EXPECT_EQ(profile.communicators.size(), many + 1);
  EXPECT_NE(profile.ranks[0].events[1].communicator, profile.ranks[1].events[1].communicator);
}

TEST(Reader, NotesAbortsAndMissingCommunicators) {
  File file(1);
  file.slot(0).has_finalized = 0;
  file.slot(0).has_aborted = 1;
  file.slot(0).groups_dropped = 4;
  EXPECT_THAT(read_profile(file.write("aborted")).notes,
              testing::ElementsAre("rank 0 called MPI_Abort, where the profile ends",
                                   HasSubstr("the members of 4 communicators are unknown")));
}

/// A rank that was killed 60 ns after its last call: it ran for 20 ns and waited for 30 ns.
File killed() {
  File file(1);
  Slot& slot = file.slot(0);
  slot.has_finalized = 0;
  slot.is_stolen_known = 1;
  slot.final_heartbeat.clock = {960, 5960};
  slot.final_heartbeat.ran_ns = 20;
  slot.final_heartbeat.waited_ns = 30;
  slot.final_heartbeat.other_threads_cpu_ns = 7;
  slot.final_heartbeat.signal = 15;
  return file;
}

TEST(Reader, TakesTheTailAndOtherThreadsFromTheFinalHeartbeat) {
  const RankProfile rank = read_profile(killed().write("final_heartbeat")).ranks[0];
  EXPECT_EQ(rank.ended_by, "SIGTERM");
  EXPECT_EQ(rank.outside_ns, 780 + 60);
  EXPECT_EQ(rank.stolen_ns, 30);
  EXPECT_EQ(rank.blocked_ns, 10);
  EXPECT_EQ(rank.other_threads_cpu_ns, 7);
  EXPECT_TRUE(rank.is_stolen_known);
}

TEST(Reader, ReportsUnknownStolenTimeOfTheFinalHeartbeat) {
  File file = killed();
  file.slot(0).final_heartbeat.ran_ns = file.slot(0).final_heartbeat.waited_ns = Heartbeat::not_recorded;
  const RankProfile rank = read_profile(file.write("unreported")).ranks[0];
  EXPECT_FALSE(rank.is_stolen_known);
  EXPECT_EQ(rank.stolen_ns, 0);
  EXPECT_EQ(rank.outside_ns, 780 + 60);
}

TEST(Reader, TakesOtherThreadsOfAKilledRankFromItsLatestHeartbeat) {
  File file(1);
  file.slot(0).has_finalized = 0;
  file.slot(0).heartbeats[0].clock = {700, 5700};
  file.slot(0).heartbeats[0].other_threads_cpu_ns = 5;
  file.slot(0).heartbeats[1].other_threads_cpu_ns = 9;  // the rank was killed while it wrote this one
  EXPECT_EQ(read_profile(file.write("latest_sign")).ranks[0].other_threads_cpu_ns, 5);
}

TEST(Reader, NotesMissingRanksAndIsNotComplete) {
  File file(3);
  file.slot(1).run_id = 0;
  file.slot(2).has_finalized = 0;
  const Profile profile = read_profile(file.write("missing"));
  EXPECT_EQ(profile.ranks.size(), 2U);
  EXPECT_FALSE(is_complete(profile));
  EXPECT_THAT(profile.notes, testing::ElementsAre("the profile has no data of rank 1",
                                                  HasSubstr("rank 2 ended without MPI_Finalize")));
}

/// A rank that was killed in a receive that it entered at its last reading of the clock.
void hang(File& file, std::uint32_t rank) {
  Slot& slot = file.slot(rank);
  slot.has_finalized = 0;
  slot.open.begin_ticks = slot.end_ticks;
  slot.open.call = static_cast<std::uint16_t>(CallId::Recv);
}

TEST(Reader, ReportsTheOpenCallBeyondTheLimitToo) {
  for (const std::uint64_t dropped : {std::uint64_t{0}, std::uint64_t{3}}) {
    File file(1);
    hang(file, 0);
    file.slot(0).heartbeats[0].clock = {950, 5950};
    file.slot(0).events_dropped = dropped;
    const Profile profile = read_profile(file.write("open"));
    const RankProfile& rank = profile.ranks[0];
    ASSERT_TRUE(rank.open_call.has_value());
    EXPECT_EQ(facts(*rank.open_call).name, "MPI_Recv");
    EXPECT_EQ(rank.open_call->begin_ns, 800);
    EXPECT_EQ(rank.open_call->inside_ns, 50);
    EXPECT_EQ(rank.inside_ns, 20 + 50);
    EXPECT_EQ(rank.ends_in_call, dropped == 0);
    EXPECT_EQ(rank.events.size(), dropped == 0 ? 3U : 2U);
    EXPECT_EQ(profile.notes[0], "rank 0 did not return from MPI_Recv");
  }
}

TEST(Reader, AnOpenCallEndsWithTheHeartbeats) {
  constexpr std::int64_t second_ns = 1'000'000'000;
  for (const bool has_heartbeat : {true, false}) {
    File file(2);
    hang(file, 0);
    if (has_heartbeat) file.slot(0).heartbeats[1].clock = {950, 5950};
    file.slot(1).end_ticks = 100 + second_ns;
    const RankProfile rank = read_profile(file.write("silent")).ranks[0];
    EXPECT_EQ(rank.end_ns, has_heartbeat ? 850 + second_ns / 10 : second_ns);
    EXPECT_EQ(rank.open_call->end_ns, rank.end_ns);
    EXPECT_EQ(rank.events.back().inside_ns, rank.end_ns - 800);
    EXPECT_EQ(rank.inside_ns, 20 + rank.end_ns - 800);
    EXPECT_EQ(rank.events_end_ns, rank.end_ns);
  }
}

TEST(Reader, SkipsAnIncompleteBlock) {
  File file(2);
  auto& magic = *reinterpret_cast<std::uint64_t*>(file.bytes().data() + slot_offset(2));
  magic = 0;
  file.slot(0).tail_state = TailState{0, 1};
  const Profile profile = read_profile(file.write("hole"));
  EXPECT_EQ(profile.ranks[0].events.size(), 1U);
  EXPECT_EQ(profile.ranks[1].events.size(), 2U);
}

TEST(Reader, RefusesOtherFiles) {
  const std::string path = path_in_scratch("letter");
  std::ofstream(path) << "a letter";
  EXPECT_FALSE(is_profile(path));
  EXPECT_THAT(error_of(path), HasSubstr("it is not a profile"));
  EXPECT_THAT(error_of(path_in_scratch("none")), HasSubstr("no such file"));
  EXPECT_TRUE(is_profile(File(1).write("good")));
}

TEST(Reader, FindsTheProfilesOfACommand) {
  File of_command(1);
  of_command.header().command_id = 7;
  const std::string path = of_command.write("several");
  EXPECT_EQ(profiles_of_command(path, 7), std::vector{path});
  of_command.write("several.2");
  File(1).write("several.3");  // of a command before
  of_command.write("several.5");
  EXPECT_EQ(profiles_of_command(path, 7), (std::vector{path, path + ".2"}));
  EXPECT_TRUE(profiles_of_command(path, 8).empty());
  EXPECT_TRUE(profiles_of_command(path_in_scratch("none"), 7).empty());
}

TEST(Reader, RefusesAnotherVersion) {
  File file(1);
  file.header().version = format_version + 1;
  EXPECT_THAT(error_of(file.write("version")),
              HasSubstr("it has format version 8, but this loadshare reads version 7"));
}

TEST(Reader, NotesProgramsThatWereStarted) {
  File file(2);
  file.slot(1).tail[0].call = static_cast<std::uint16_t>(CallId::Comm_spawn);
  EXPECT_THAT(read_profile(file.write("spawn")).notes,
              testing::ElementsAre(HasSubstr("programs started by MPI_Comm_spawn")));
}

TEST(Reader, RefusesDataAfterTheEnd) {
  for (const bool has_finalized : {true, false}) {
    File file(2);
    file.slot(0).has_finalized = has_finalized;
    const File other(1, 77);
    file.bytes().insert(file.bytes().end(), other.bytes().begin(), other.bytes().end());
    EXPECT_THAT(error_of(file.write("joined")), HasSubstr("other data follows its end"));
  }
  File longer(1);
  longer.bytes().push_back(1);
  EXPECT_THAT(error_of(longer.write("longer")), HasSubstr("other data follows its end"));
}

/// The section of rank 0's kernel, followed by the written part of another section.
File cut_merge(const File& other, std::size_t bytes) {
  File file(2);
  file.header().ranks_started = 3;
  file.bytes().resize(slot_offset(2) + page_bytes);  // the blocks end in the page before
  file.bytes().insert(file.bytes().end(), other.bytes().begin(),
                      other.bytes().begin() + static_cast<std::ptrdiff_t>(bytes));
  return file;
}

TEST(Reader, ARevertedMergeLeavesNothing) {
  const File none(0);
  EXPECT_EQ(read_profile(cut_merge(none, 0).write("taken_back")).ranks.size(), 2U);
}

TEST(Reader, AnIncompleteMergeIsIgnored) {
  const File other(1);
  for (const std::size_t written :
       {std::size_t{1}, std::size_t{20}, page_bytes, slot_offset(1), other.bytes().size()}) {
    const Profile profile = read_profile(cut_merge(other, written).write("cut_merge"));
    EXPECT_EQ(profile.ranks.size(), 2U) << written;
    EXPECT_THAT(profile.notes, testing::ElementsAre("the profile has no data of rank 2"));
  }
  File third(1);
  third.slot(0).rank = 2;
  third.slot(0).tail_state = TailState{0, 1};  // the block is rank 0's
  const std::string part = third.write("room.rank2");
  const std::string zeros = cut_merge(File(1, 0), 0).write("room");
  std::filesystem::resize_file(zeros, std::filesystem::file_size(zeros) + page_bytes);
  EXPECT_TRUE(is_complete(read_profile(zeros)));
  std::filesystem::remove(part);
}

TEST(Reader, RefusesAnotherRunAfterAnUnmergedOne) {
  const File other(1, 77);
  EXPECT_THAT(error_of(cut_merge(other, other.bytes().size()).write("joined_unmerged")),
              HasSubstr("other data follows its end"));
}

/// Truncation is detected in the header, the slots and the blocks.
TEST(Reader, RefusesEveryTruncation) {
  const File whole(2);
  for (const std::size_t left : {std::size_t{20}, page_bytes, slot_offset(1) + 100, slot_offset(2),
                                 slot_offset(2) + 64, slot_offset(2) + 200, slot_offset(2) + 255}) {
    File cut = whole;
    cut.bytes().resize(left);
    EXPECT_THAT(error_of(cut.write("cut")), HasSubstr("truncated")) << left;
  }
}

TEST(Reader, RefusesMixedRuns) {
  File file(2);
  file.slot(1).run_id = 77;
  EXPECT_THAT(error_of(file.write("mixed_slots")), HasSubstr("several runs"));
  File blocks(1);
  reinterpret_cast<BlockHeader*>(blocks.bytes().data() + slot_offset(1))->run_id = 77;
  EXPECT_THAT(error_of(blocks.write("mixed_blocks")), HasSubstr("several runs"));
  File twice(2);
  twice.slot(1).rank = 0;
  EXPECT_THAT(error_of(twice.write("twice")), HasSubstr("several runs"));
}

TEST(Reader, RefusesDamage) {
  File file(1);
  file.slot(0).tail[0].call = call_count;
  EXPECT_THAT(error_of(file.write("call")), HasSubstr("damaged"));
  File tail(1);
  tail.slot(0).tail_state = TailState{1, tail_events + 1};
  EXPECT_THAT(error_of(tail.write("tail")), HasSubstr("damaged"));
}

}  // namespace
}  // namespace loadshare::profile
