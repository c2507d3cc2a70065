// Prints a profile as one JSON object, for the tests that look at it from python.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runtime/profile/profile.hpp"
#include "schedulers/error.hpp"

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
          {"place", rank.places.at(event.place)}};
}

json to_json(const profile::RankProfile& rank) {
  json events = json::array();
  for (const profile::Event& event : rank.events) events.push_back(to_json(event, rank));
  return {{"rank", rank.rank},
          {"has_finalized", rank.has_finalized},
          {"has_aborted", rank.has_aborted},
          {"ended_by", rank.ended_by},
          {"ends_in_call", rank.ends_in_call},
          {"gives_signs", rank.gives_signs},
          {"begin_ns", rank.begin_ns},
          {"end_ns", rank.end_ns},
          {"inside_ns", rank.inside_ns},
          {"outside_ns", rank.outside_ns},
          {"stolen_ns", rank.stolen_ns},
          {"blocked_ns", rank.blocked_ns},
          {"stolen_inside_ns", rank.stolen_inside_ns},
          {"tells_stolen", rank.tells_stolen},
          {"other_threads_cpu_ns", rank.other_threads_cpu_ns},
          {"calls_of_other_threads", rank.calls_of_other_threads},
          {"capacity", rank.capacity},
          {"events_dropped", rank.events_dropped},
          {"events_end_ns", rank.events_end_ns},
          {"events", std::move(events)}};
}

json to_json(const profile::Profile& profile) {
  json ranks = json::array();
  for (const profile::RankProfile& rank : profile.ranks) ranks.push_back(to_json(rank));
  json communicators = json::array();
  for (const profile::Communicator& one : profile.communicators)
    communicators.push_back({{"name", one.name}, {"members", one.members}});
  return {{"program", profile.program},
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
    fmt::print("{}\n", to_json(profile::read_profile(argv[1])).dump());
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
}
