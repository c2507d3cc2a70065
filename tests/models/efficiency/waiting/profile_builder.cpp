#include "tests/models/efficiency/waiting/profile_builder.hpp"

#include <numeric>
#include <utility>

#include "models/efficiency/waiting/telling.hpp"

namespace loadshare::waiting {

using profile::CallId;
using profile::Event;
using profile::Part;
using profile::RankProfile;

ProfileBuilder::ProfileBuilder(int ranks) {
  profile_.program = "made up";
  profile_.ranks_started = ranks;
  profile_.communicators.push_back({"MPI_COMM_WORLD", std::vector<int>(static_cast<std::size_t>(ranks))});
  std::iota(profile_.communicators[0].members.begin(), profile_.communicators[0].members.end(), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    RankProfile& one = profile_.ranks.emplace_back();
    one.rank = rank;
    one.host = "somewhere";
    one.has_finalized = true;
  }
}

std::uint16_t ProfileBuilder::communicator(std::vector<int> members) {
  profile_.communicators.push_back({"made", std::move(members)});
  return static_cast<std::uint16_t>(profile_.communicators.size() - 1);
}

EventId ProfileBuilder::call(int at, CallId call, Interval when, Envelope envelope) {
  std::vector<Event>& events = rank(at).events;
  Event& event = events.emplace_back();
  event.begin_ns = when.begin_ns;
  event.end_ns = when.end_ns;
  event.inside_ns = when.end_ns - when.begin_ns;
  event.peer = envelope.peer;
  event.tag = envelope.tag;
  event.communicator = envelope.communicator;
  event.bytes = envelope.bytes;
  event.call = static_cast<std::uint16_t>(call);
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(events.size() - 1)};
}

EventId ProfileBuilder::start(int at, CallId kind, Interval when, Envelope envelope) {
  const EventId id = call(at, kind, when, envelope);
  rank(at).events.back().request = ++last_request_;
  return id;
}

EventId ProfileBuilder::same_request(int at, CallId kind, Interval when, Envelope envelope) {
  const EventId id = call(at, kind, when, envelope);
  rank(at).events.back().request = last_request_;
  return id;
}

EventId ProfileBuilder::in_vain(int at, CallId kind, Interval when, std::int64_t inside_ns) {
  const EventId id = call(at, kind, when);
  rank(at).events.back().repeats = 7;
  rank(at).events.back().inside_ns = inside_ns;
  return id;
}

void ProfileBuilder::place(int at, std::uint32_t place) {
  rank(at).events.back().place = place;
}

void ProfileBuilder::part(int at, Part part, Envelope envelope, std::uint32_t request) {
  Event event = rank(at).events.back();
  event.part = part;
  event.peer = envelope.peer;
  event.tag = envelope.tag;
  event.communicator = envelope.communicator;
  event.request = request;
  event.inside_ns = 0;
  rank(at).events.push_back(event);
}

void ProfileBuilder::received(int at, Envelope envelope, std::uint32_t request) {
  part(at, Part::received, envelope, request);
}

void ProfileBuilder::completed(int at, std::uint32_t request) {
  part(at, Part::completed, {}, request);
}

void ProfileBuilder::member(int at, int peer) {
  part(at, Part::member,
       {.peer = peer,
        .tag = -1,
        .communicator = static_cast<std::uint16_t>(rank(at).events.back().communicator)},
       0);
}

profile::Profile ProfileBuilder::built(std::int64_t end_ns) {
  for (RankProfile& one : profile_.ranks) {
    one.end_ns = end_ns;
    one.events_end_ns = end_ns;
    for (const Event& event : one.events)
      if (event.part == Part::call) one.inside_ns += event.inside_ns;
    one.outside_ns = end_ns - one.begin_ns - one.inside_ns;
  }
  return profile_;
}

std::int64_t waited_ns(const profile::Profile& profile, std::uint32_t rank, WaitState state) {
  return waits_of(Matching(profile), rank).by_state_ns[static_cast<std::size_t>(state)];
}

double all_untold_s(const profile::Profile& profile) {
  double sum_s = 0;
  for (const auto& [call, seconds] : untold_s(Matching(profile))) sum_s += seconds;
  return sum_s;
}

}  // namespace loadshare::waiting
