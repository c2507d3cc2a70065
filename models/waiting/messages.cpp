#include "models/waiting/messages.hpp"

#include <algorithm>

#include "models/waiting/channels.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;

constexpr std::int64_t clock_error_ns = 1'000'000;  ///< more than the offset of two hosts' clocks is wrong by

bool sends(CallKind kind) {
  return kind == CallKind::send || kind == CallKind::send_start || kind == CallKind::exchange;
}

/// -1 stands for any.
bool takes(std::int32_t wanted, std::int32_t given) {
  return wanted < 0 || wanted == given;
}

}  // namespace

Messages::Messages(const profile::Profile& profile) : profile_(profile) {
  Channels channels;
  for (const profile::RankProfile& rank : profile.ranks) {
    requests_.emplace_back(rank.events);
    sent_by_.emplace_back(rank.events.size(), EventId::none);
    taken_by_.emplace_back(rank.events.size(), EventId::none);
  }
  for (std::uint32_t rank = 0; rank < profile.ranks.size(); ++rank) collect_sends(rank, channels);
  for (std::uint32_t rank = 0; rank < profile.ranks.size(); ++rank) {
    collect_releases(rank);
    match(rank, channels);
  }
  collect_left();
}

void Messages::collect_sends(std::uint32_t rank, Channels& channels) {
  const profile::RankProfile& sender = profile_.ranks[rank];
  for_each_call(sender.events, [&](const Call& call) {
    if (!sends(call.kind()) || call.event.peer < 0) return;
    channels.push({call.event.communicator, sender.rank, call.event.peer, call.event.tag});
    sent_by_[rank][call.index] = static_cast<std::uint32_t>(messages_.size());
    Message& message = messages_.emplace_back();
    message.sent = {rank, call.index};
    if (call.kind() != CallKind::send_start) message.released = message.sent;
  });
}

void Messages::collect_releases(std::uint32_t rank) {
  for_each_call(profile_.ranks[rank].events, [&](const Call& call) {
    for (const Event& part : call.parts) {
      if (part.part != profile::Part::completed) continue;
      const EventId start = started(rank, part.request);
      if (!start || sent_by_[rank][start.event] == EventId::none) continue;
      messages_[sent_by_[rank][start.event]].released = {rank, call.index};
    }
  });
}

/// What is not seen completing was freed, or ends beyond the profile: it took its message before those posted
/// later. What was cancelled took none, and a wildcard's channel is not known.
void Messages::match(std::uint32_t rank, Channels& channels) {
  for (const Receive& receive : receives_of(profile_.ranks[rank], requests_[rank])) {
    const bool is_over = receive.completed != EventId::none || receive.probed != EventId::none;
    if (!is_over && receive.was_cancelled) continue;
    if (!is_over && (receive.source < 0 || receive.tag < 0)) {
      takers_[profile_.ranks[rank].rank].push_back({{rank, receive.posted}, receive.source, receive.tag});
      continue;
    }
    const Channel channel{receive.communicator, receive.source, profile_.ranks[rank].rank, receive.tag};
    const bool takes_it = receive.takes == Receive::Takes::message;
    if (const auto found = takes_it ? channels.pop(channel) : channels.front(channel))
      take(rank, receive, *found);
    else if (is_over && takes_it)
      ++receives_without_send_;
  }
}

void Messages::take(std::uint32_t rank, const Receive& receive, std::uint32_t message) {
  for (const std::uint32_t call : {receive.probed, receive.posted})
    if (call != EventId::none) taken_by_[rank][call] = message;
  if (receive.takes == Receive::Takes::nothing) return;
  if (receive.posted != EventId::none) messages_[message].posted = {rank, receive.posted};
  if (receive.completed != EventId::none) messages_[message].completed = {rank, receive.completed};
}

void Messages::collect_left() {
  for (std::uint32_t i = 0; i < messages_.size(); ++i)
    if (!messages_[i].posted) left_[at(profile_, messages_[i].sent).peer].push_back(i);
}

std::optional<std::int64_t> Messages::first_left_ns(const Channel& wanted) const {
  const auto found = left_.find(wanted.destination);
  if (found == left_.end()) return std::nullopt;
  std::optional<std::int64_t> first_ns;
  for (const std::uint32_t index : found->second) {
    const EventId sent = messages_[index].sent;
    const Event& send = at(profile_, sent);
    if (send.communicator == wanted.communicator && takes(wanted.source, profile_.ranks[sent.rank].rank) &&
        takes(wanted.tag, send.tag))
      first_ns = std::min(first_ns.value_or(send.begin_ns), send.begin_ns);
  }
  return first_ns;
}

std::optional<std::int64_t> Messages::first_taker_ns(const Channel& sent) const {
  const auto found = takers_.find(sent.destination);
  if (found == takers_.end()) return std::nullopt;
  std::optional<std::int64_t> first_ns;
  for (const Taker& taker : found->second) {
    const Event& receive = at(profile_, taker.posted);
    if (receive.communicator == sent.communicator && takes(taker.source, sent.source) &&
        takes(taker.tag, sent.tag))
      first_ns = std::min(first_ns.value_or(receive.begin_ns), receive.begin_ns);
  }
  return first_ns;
}

EventId Messages::started(std::uint32_t rank, std::uint32_t request) const {
  const auto event = requests_[rank].started_at(request);
  return event ? EventId{rank, *event} : EventId{};
}

const Message* Messages::find(const ByEvent& table, EventId call) const {
  const std::uint32_t index = table[call.rank][call.event];
  return index == EventId::none ? nullptr : &messages_[index];
}

std::uint64_t Messages::sends_without_receive() const {
  return static_cast<std::uint64_t>(std::count_if(messages_.begin(), messages_.end(),
                                                  [](const Message& message) { return !message.posted; }));
}

std::uint64_t Messages::contradictions() const {
  const auto contradicts = [&](const Message& message) {
    return message.completed &&
           at(profile_, message.completed).end_ns + clock_error_ns < at(profile_, message.sent).begin_ns;
  };
  return static_cast<std::uint64_t>(std::count_if(messages_.begin(), messages_.end(), contradicts));
}

}  // namespace loadshare::waiting
