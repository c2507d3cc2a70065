// Prints a profile as one JSON object, for the tests in Python.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "profiler/profile.hpp"
#include "profiler/stored_profile.hpp"

namespace {

using nlohmann::json;
using namespace loadshare;

constexpr const char* part_names[] = {"call", "received", "completed", "member"};

json to_json(const profile::Event& event, const profile::RankProfile& rank) {
  return {{"call", profile::facts(event).name},
          {"part", part_names[static_cast<int>(event.part)]},
          {"begin_ns", event.begin_ns},
          {"end_ns", event.end_ns},
          {"inside_ns", event.inside_ns},
          {"bytes", event.bytes},
          {"peer", event.peer},
          {"tag", event.tag},
          {"request", event.request},
          {"repeats", event.repeats},
          {"communicator", event.communicator},
          {"is_in_place", event.is_in_place},
          {"place", rank.places.at(event.place)}};
}

/// The ticks that the profiler wrote; the reader derives the time outside from the total and the time inside.
json ticks_of(const profile::Slot& slot) {
  return {{"begin", slot.begin_ticks},
          {"end", slot.end_ticks},
          {"inside", slot.inside_ticks},
          {"outside", slot.outside_ticks}};
}

json ticks_of(const profile::StoredProfile& stored, int rank) {
  for (const profile::StoredSection& section : stored.sections())
    for (const profile::Slot* slot : section.slots)
      if (slot->rank == rank) return ticks_of(*slot);
  return nullptr;
}

json to_json(const profile::RankProfile& rank, const profile::StoredProfile& stored) {
  json events = json::array();
  for (const profile::Event& event : rank.events) events.push_back(to_json(event, rank));
  return {{"rank", rank.rank},
          {"has_finalized", rank.has_finalized},
          {"has_aborted", rank.has_aborted},
          {"ended_by", rank.ended_by},
          {"ends_in_call", rank.ends_in_call},
          {"has_heartbeat", rank.has_heartbeat},
          {"begin_ns", rank.begin_ns},
          {"end_ns", rank.end_ns},
          {"inside_ns", rank.inside_ns},
          {"outside_ns", rank.outside_ns},
          {"stolen_ns", rank.stolen_ns},
          {"blocked_ns", rank.blocked_ns},
          {"stolen_inside_ns", rank.stolen_inside_ns},
          {"is_stolen_known", rank.is_stolen_known},
          {"other_threads_cpu_ns", rank.other_threads_cpu_ns},
          {"calls_of_other_threads", rank.calls_of_other_threads},
          {"capacity", rank.capacity},
          {"ticks", ticks_of(stored, rank.rank)},
          {"events_dropped", rank.events_dropped},
          {"events_end_ns", rank.events_end_ns},
          {"events", std::move(events)}};
}

json to_json(const profile::Profile& profile, const profile::StoredProfile& stored) {
  json ranks = json::array();
  for (const profile::RankProfile& rank : profile.ranks) ranks.push_back(to_json(rank, stored));
  json communicators = json::array();
  for (const profile::Communicator& one : profile.communicators)
    communicators.push_back({{"name", one.name}, {"members", one.members}});
  return {{"program", profile.program},
          {"mpi", profile.mpi},
          {"ranks_started", profile.ranks_started},
          {"is_complete", is_complete(profile)},
          {"notes", profile.notes},
          {"communicators", std::move(communicators)},
          {"ranks", std::move(ranks)}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const profile::Profile profile = profile::read_profile(argv[1]);
    fmt::print("{}\n", to_json(profile, profile::StoredProfile(argv[1])).dump());
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
}
