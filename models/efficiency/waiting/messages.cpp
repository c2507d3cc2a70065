#include "models/efficiency/waiting/messages.hpp"

#include <algorithm>

#include "profiler/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallKind;
using profile::Event;
using profile::Part;

bool makes_request(const profile::Event& event) {
  using profile::CallKind;
  if (event.part != profile::Part::call || event.request == 0) return false;
  const CallKind kind = profile::facts(event).kind;
  return kind == CallKind::send_start || kind == CallKind::receive_start ||
         kind == CallKind::collective_start;
}

bool takes_its_message(const Event& probe) {
  const auto call = static_cast<profile::CallId>(probe.call);
  return call == profile::CallId::Mprobe || call == profile::CallId::Improbe;
}

class Collector {
 public:
  Collector(const profile::RankProfile& rank, const Requests& requests)
      : requests_(requests),
        open_(rank.ends_in_call ? static_cast<std::uint32_t>(rank.events.size() - 1) : EventId::none),
        receive_of_(rank.events.size(), EventId::none) {}

  void take(const Call& call) {
    switch (call.kind()) {
      case CallKind::receive:
      case CallKind::exchange:
        if (call.index == open_)
          posted(call, asked_for(call));
        else if (const Event* envelope = envelope_of(call))
          posted(call, *envelope).completed = call.index;
        break;
      case CallKind::probe:
      case CallKind::probe_test:
        if (call.index == open_) break;  // it found none
        if (const Event* envelope = envelope_of(call)) take_probe(call, *envelope);
        break;
      case CallKind::receive_start:
        // Without a request: MPI_Recv_init itself, or from MPI_PROC_NULL.
        if (call.event.request != 0) posted(call, call.event);
        break;
      case CallKind::local:
        note_cancelled(call);
        break;
      case CallKind::wait:
      case CallKind::test:
        complete(call);
        break;
      default:
        break;
    }
  }

  std::vector<Receive> result() && { return std::move(receives_); }

 private:
  Receive& add(const Call& call, const Event& envelope) {
    receive_of_[call.index] = static_cast<std::uint32_t>(receives_.size());
    Receive& receive = receives_.emplace_back();
    receive.communicator = envelope.communicator;
    receive.source = envelope.peer;
    receive.tag = envelope.tag;
    return receive;
  }

  /// The part tells the true envelope; where a receive named it all, the call itself does. Null: no message.
  static const Event* envelope_of(const Call& call) {
    if (call.event.repeats > 0) return nullptr;
    for (const Event& part : call.parts)
      if (part.part == Part::received) return part.peer >= 0 ? &part : nullptr;
    const bool is_recorded = call.kind() != CallKind::exchange && call.event.peer >= 0 && call.event.tag >= 0;
    return is_recorded ? &call.event : nullptr;
  }

  /// By a call that the rank never came out of. Of an exchange it is not recorded.
  static Event asked_for(const Call& call) {
    Event envelope = call.event;
    if (call.kind() == CallKind::exchange) envelope.peer = envelope.tag = -1;
    return envelope;
  }

  /// The receive that this call posts: that of the message which a matched probe found, or one of its own.
  Receive& posted(const Call& call, const Event& envelope) {
    const auto found = found_.find(call.event.request);
    if (found != found_.end()) receive_of_[call.index] = found->second;
    Receive& receive = found != found_.end() ? receives_[found->second] : add(call, envelope);
    receive.posted = call.index;
    return receive;
  }

  void take_probe(const Call& call, const Event& envelope) {
    Receive& receive = add(call, envelope);
    receive.probed = call.index;
    if (takes_its_message(call.event) && call.event.request != 0)
      found_.emplace(call.event.request, receive_of_[call.index]);
    else
      receive.takes = Receive::Takes::nothing;
  }

  Receive* started(std::uint32_t request) {
    const auto posted = requests_.started_at(request);
    if (!posted || receive_of_[*posted] == EventId::none) return nullptr;
    return &receives_[receive_of_[*posted]];
  }

  void complete(const Call& call) {
    for (const Event& part : call.parts) {
      Receive* receive = part.part == Part::received ? started(part.request) : nullptr;
      if (receive == nullptr) continue;
      receive->completed = call.index;
      receive->source = part.peer;
      receive->tag = part.tag;
    }
  }

  void note_cancelled(const Call& call) {
    if (static_cast<profile::CallId>(call.event.call) != profile::CallId::Cancel) return;
    if (Receive* receive = started(call.event.request)) receive->was_cancelled = true;
  }

  const Requests& requests_;
  std::uint32_t open_;  ///< the call that the rank never came out of
  std::vector<Receive> receives_;
  std::vector<std::uint32_t> receive_of_;                   ///< by event
  std::unordered_map<std::uint32_t, std::uint32_t> found_;  ///< by matched probes: receive by number
};

constexpr std::int64_t clock_error_ns = 10'000;  ///< more than two ranks' readings of one clock are apart

bool sends(CallKind kind) {
  return kind == CallKind::send || kind == CallKind::send_start || kind == CallKind::exchange;
}

/// -1 stands for any.
bool takes(std::int32_t wanted, std::int32_t given) {
  return wanted < 0 || wanted == given;
}

}  // namespace

Requests::Requests(const std::vector<profile::Event>& events) {
  for (std::size_t i = 0; i < events.size(); ++i)
    if (makes_request(events[i])) starts_.emplace_back(events[i].request, static_cast<std::uint32_t>(i));
  // Requests are numbered as they are made, so this is the rule and sorting the exception.
  if (!std::is_sorted(starts_.begin(), starts_.end())) std::sort(starts_.begin(), starts_.end());
}

std::optional<std::uint32_t> Requests::started_at(std::uint32_t request) const {
  const auto found = std::lower_bound(starts_.begin(), starts_.end(), std::pair(request, 0u));
  if (found == starts_.end() || found->first != request) return std::nullopt;
  return found->second;
}

std::size_t Channels::Hash::operator()(const Channel& channel) const {
  std::uint64_t hash = channel.communicator;
  for (const std::int32_t part : {channel.source, channel.destination, channel.tag}) {
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

void Channels::push(const Channel& channel) {
  const auto message = static_cast<std::uint32_t>(next_.size());
  next_.push_back(none);
  Ends& ends = ends_[channel];
  if (ends.first == none)
    ends.first = message;
  else
    next_[ends.last] = message;
  ends.last = message;
}

std::optional<std::uint32_t> Channels::front(const Channel& channel) const {
  const auto found = ends_.find(channel);
  if (found == ends_.end() || found->second.first == none) return std::nullopt;
  return found->second.first;
}

std::optional<std::uint32_t> Channels::pop(const Channel& channel) {
  const auto found = ends_.find(channel);
  if (found == ends_.end() || found->second.first == none) return std::nullopt;
  const std::uint32_t message = found->second.first;
  found->second.first = next_[message];
  return message;
}

std::vector<Receive> receives_of(const profile::RankProfile& rank, const Requests& requests) {
  Collector collector(rank, requests);
  for_each_call(rank.events, [&](const Call& call) { collector.take(call); });
  return std::move(collector).result();
}

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
           profile_.ranks[message.sent.rank].host == profile_.ranks[message.completed.rank].host &&
           at(profile_, message.completed).end_ns + clock_error_ns < at(profile_, message.sent).begin_ns;
  };
  return static_cast<std::uint64_t>(std::count_if(messages_.begin(), messages_.end(), contradicts));
}

}  // namespace loadshare::waiting
