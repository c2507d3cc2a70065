#include "models/program/reconstruction/traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "models/efficiency/waiting/calls.hpp"
#include "models/efficiency/waiting/collectives.hpp"
#include "models/program/reconstruction/counted_time.hpp"
#include "profiler/calls.hpp"

namespace loadshare::reconstruction {
namespace {

using profile::CallKind;
using profile::Event;
using profile::Part;
using waiting::Call;

/// Timing graphs know no communicators: messages of one must not meet those of another, so tags of each get a
/// range of their own. Communicators without a common rank, such as the rows of a grid, share one.
class LayeredTags final {
 public:
  explicit LayeredTags(const profile::Profile& profile);

  /// The event's tag; of any tag that is any. Throws UsageError where it is too large for its range.
  std::int32_t of(const profile::Event& event) const;

 private:
  std::vector<std::int32_t> layers_;  ///< by communicator
};

constexpr std::int32_t tags_of_a_layer = 1 << 20;

LayeredTags::LayeredTags(const profile::Profile& profile) {
  std::map<int, std::int32_t> next;  // by rank: the first layer above all of its communicators
  for (const profile::Communicator& communicator : profile.communicators) {
    std::int32_t layer = 0;
    for (const int member : communicator.members) layer = std::max(layer, next[member]);
    layers_.push_back(layer);
    if (communicator.members.size() > 1)
      for (const int member : communicator.members) next[member] = layer + 1;
  }
}

std::int32_t LayeredTags::of(const profile::Event& event) const {
  const std::int32_t layer = layers_[event.communicator];
  if (layer == 0 || event.tag < 0) return event.tag;
  if (event.tag >= tags_of_a_layer || layer >= tags_of_a_layer / 1024)
    throw UsageError(fmt::format("a message on one of the program's own communicators has tag {}", event.tag),
                     fmt::format("timing graphs support only tags below {} there", tags_of_a_layer));
  return layer * tags_of_a_layer + event.tag;
}

struct Row {
  std::string_view name;
  double (*bytes)(const CollectiveShare& share);
};

double as_recorded(const CollectiveShare& share) {
  return share.bytes;
}
double in_and_out_alike(const CollectiveShare& share) {
  return share.bytes / 2;
}
/// In place everybody's pieces stand for what goes in and what comes out.
double to_and_from_each(const CollectiveShare& share) {
  return share.bytes / ((share.is_in_place ? 1 : 2) * share.ranks);
}
/// One piece goes in and all come out, or all go in and one comes out; in place the one is among all.
double own_and_everybodys(const CollectiveShare& share) {
  return share.bytes / (share.ranks + (share.is_in_place ? 0 : 1));
}
/// The same of a reduction, whose bytes are told alike wherever its buffers are.
double own_and_everybodys_sums(const CollectiveShare& share) {
  return share.bytes / (share.ranks + 1);
}
/// The root has its own piece, and all pieces.
double piece_of_root(const CollectiveShare& share) {
  return share.is_root ? own_and_everybodys(share) : share.bytes;
}
double whole_at_root(const CollectiveShare& share) {
  return share.is_root ? in_and_out_alike(share) : share.bytes;
}

constexpr std::array table{
    Row{"barrier", as_recorded},
    Row{"bcast", as_recorded},
    Row{"reduce", whole_at_root},
    Row{"allreduce", in_and_out_alike},
    Row{"scan", in_and_out_alike},
    Row{"exscan", in_and_out_alike},
    Row{"gather", piece_of_root},
    Row{"gatherv", piece_of_root},
    Row{"scatter", piece_of_root},
    Row{"scatterv", piece_of_root},
    Row{"allgather", own_and_everybodys},
    Row{"allgatherv", own_and_everybodys},
    Row{"alltoall", to_and_from_each},
    Row{"alltoallv", to_and_from_each},
    Row{"reduce_scatter", own_and_everybodys_sums},
    Row{"reduce_scatter_block", own_and_everybodys_sums},
};

const Row* find(std::string_view name) {
  const auto row = std::ranges::find(table, name, &Row::name);
  return row == table.end() ? nullptr : &*row;
}

communication::SendMode mode_of(const Event& event) {
  switch (profile::facts(event).mode) {
    case profile::SendMode::buffered:
      return communication::SendMode::buffered;
    case profile::SendMode::synchronous:
      return communication::SendMode::synchronous;
    case profile::SendMode::ready:
      return communication::SendMode::ready;
    default:
      return communication::SendMode::standard;
  }
}

/// Whether the call found out nothing, and is made again until it does.
bool is_in_vain(const Call& call) {
  return (call.kind() == CallKind::test && call.parts.empty()) || call.kind() == CallKind::probe_test;
}

/// Ranks in equal distances, as rows and columns of grids are.
std::optional<timing_graph::RankGroup> row_of(const std::vector<int>& members) {
  timing_graph::RankGroup row{members.front(), members.back(), 1};
  if (members.size() > 1) row.stride = members[1] - members[0];
  for (std::size_t i = 1; i < members.size(); ++i)
    if (members[i] - members[i - 1] != row.stride) return std::nullopt;
  return row.stride > 0 ? std::optional(row) : std::nullopt;
}

/// Goes through the calls of one rank.
class Tracer {
 public:
  Tracer(const profile::Profile& profile, const waiting::Collectives& collectives, const LayeredTags& tags,
         std::uint32_t position)
      : profile_(profile),
        collectives_(collectives),
        tags_(tags),
        position_(position),
        rank_(profile.ranks[position]),
        time_(rank_) {
    trace_.rank = rank_.rank;
  }

  Trace traced() {
    waiting::for_each_call(rank_.events, [this](const Call& call) { take(call); });
    time_.finish(trace_);
    return std::move(trace_);
  }

 private:
  void take(const Call& call) {
    if (CountedTime::is_control(call.event)) return time_.take_control(call.event);
    if (!time_.counts()) return note_uncounted(call);
    const bool was_in_vain = is_in_vain(call);
    time_.take_call(call.event, was_in_vain);
    if (!was_in_vain) translate(call);
  }

  void note_uncounted(const Call& call) {
    const bool is_begun = call.kind() == CallKind::send_start || call.kind() == CallKind::receive_start ||
                          call.kind() == CallKind::collective_start;
    if (is_begun && call.event.request != 0) begun_uncounted_.insert(call.event.request);
  }

  void translate(const Call& call) {
    switch (call.kind()) {
      case CallKind::send:
      case CallKind::send_start:
        return take_send(call);
      case CallKind::receive:
      case CallKind::receive_start:
        return take_receive(call);
      case CallKind::exchange:
        return take_exchange(call);
      case CallKind::wait:
      case CallKind::test:
        return take_wait(call);
      case CallKind::collective_start:
        started_[call.event.request] = call.index;
        return;
      case CallKind::all_to_all:
      case CallKind::one_to_all:
      case CallKind::all_to_one:
      case CallKind::prefix:
        return take_collective(call);
      case CallKind::probe:
        return;
      default:
        return take_other(call);
    }
  }

  Element& add(ElementKind kind, const Event& event) {
    Element& element = trace_.elements.emplace_back();
    element.kind = kind;
    element.call = profile::facts(event).name;
    const std::string& place = rank_.places[event.place];
    element.site = place.empty() ? element.call : element.call + " at " + place;
    element.computing_s = time_.take_computing_s();
    return element;
  }

  void set_message(Element& element, const Event& event) const {
    element.mode = mode_of(event);
    element.to = event.peer;
    element.tag = tags_.of(event);
    element.bytes = static_cast<double>(event.bytes);
  }

  void take_send(const Call& call) {
    const bool is_begun = call.kind() == CallKind::send_start;
    if (call.event.peer < 0 || (is_begun && call.event.request == 0)) return;
    Element& element = add(ElementKind::send, call.event);
    set_message(element, call.event);
    if (is_begun) note_begun(element, call.event.request);
  }

  void take_receive(const Call& call) {
    const bool is_begun = call.kind() == CallKind::receive_start;
    if (is_begun ? call.event.request == 0 : call.event.peer < 0) return;
    Element& element = add(ElementKind::receive, call.event);
    element.from = call.event.peer;
    element.from_tag = tags_.of(call.event);
    if (is_begun) note_begun(element, call.event.request);
  }

  void note_begun(Element& element, std::uint32_t request) {
    element.request = request;
    site_of_request_[request] = element.site;
  }

  void take_exchange(const Call& call) {
    const auto got = std::ranges::find(call.parts, Part::received, &Event::part);
    const bool has_got = got != call.parts.end() && got->peer >= 0;
    if (call.event.peer < 0 && !has_got) return;
    const ElementKind kind = !has_got              ? ElementKind::send
                             : call.event.peer < 0 ? ElementKind::receive
                                                   : ElementKind::exchange;
    Element& element = add(kind, call.event);
    if (call.event.peer >= 0) set_message(element, call.event);
    if (!has_got) return;
    element.from = got->peer;
    element.from_tag = tags_.of(*got);
  }

  /// Of what was completed, collectives stand for themselves, and messages for a wait.
  void take_wait(const Call& call) {
    std::vector<std::uint32_t> messages;
    for (const Event& part : call.parts) {
      if (const auto begun = started_.find(part.request); begun != started_.end()) {
        add_collective({begun->second, rank_.events[begun->second], {}});
        started_.erase(begun);
      } else if (begun_uncounted_.contains(part.request)) {
        refuse_uncounted(call);
      } else if (part.request != 0) {
        messages.push_back(part.request);
      }
    }
    if (messages.empty()) return;
    if (completes_all(call)) {
      add(ElementKind::wait, call.event).completes = std::move(messages);
    } else {
      for (const std::uint32_t request : messages) add_completion(call, request);
    }
  }

  [[noreturn]] void refuse_uncounted(const Call& call) const {
    throw UsageError(
        fmt::format("{} of rank {} waits for a message that was begun in a part that does not count",
                    profile::facts(call.event).name, rank_.rank),
        "the program called MPI_Pcontrol between the two", "put both on one side of that call");
  }

  static bool completes_all(const Call& call) {
    const auto which = static_cast<profile::CallId>(call.event.call);
    return which == profile::CallId::Wait || which == profile::CallId::Waitall;
  }

  /// What was only tested for may be found complete by one test or another, alone or with others: it is known
  /// by what began it.
  void add_completion(const Call& call, std::uint32_t request) {
    Element& element = add(ElementKind::wait, call.event);
    element.completes = {request};
    element.site = "completion of " + site_of_request_[request];
  }

  void take_collective(const Call& call) {
    if (collective_name(profile::facts(call.event).name)) return add_collective(call);
    take_other(call);
    trace_.elements.back().meets_all = members(call.event).size() == profile_.ranks.size();
  }

  const std::vector<int>& members(const Event& event) const {
    return profile_.communicators[event.communicator].members;
  }

  void add_collective(const Call& call) {
    const std::vector<int>& with = members(call.event);
    const auto name = collective_name(profile::facts(call.event).name);
    const std::optional<timing_graph::RankGroup> row = with.empty() ? std::nullopt : row_of(with);
    // Of one rank in a run of several it is another call for those than for its like.
    if (!name || (with.size() < 2 && profile_.ranks.size() > 1)) return take_other(call);
    if (!row) return take_rowless(call);
    Element& element = add(ElementKind::collective, call.event);
    element.call = *name;
    element.is_of_all = with.size() == profile_.ranks.size();
    element.row = *row;
    element.root = call.event.peer;
    element.bytes =
        collective_bytes(*name, {static_cast<double>(call.event.bytes), static_cast<double>(with.size()),
                                 element.root == rank_.rank, call.event.is_in_place});
    if (with.size() == 1) time_.take_copying(call.event);
  }

  void take_rowless(const Call& call) {
    take_other(call);
    const bool is_of_all = members(call.event).size() == profile_.ranks.size();
    Element& element = trace_.elements.back();
    element.meets_all = is_of_all && call.kind() == CallKind::all_to_all;
    element.loses_waiting = !element.meets_all;
  }

  /// What it took since the last of those came whom it waits for.
  void take_other(const Call& call) {
    Element& element = add(ElementKind::other, call.event);
    std::int64_t begin_ns = call.event.begin_ns;
    if (const waiting::Arrival* arrival = collectives_.arrival({position_, call.index}))
      begin_ns = std::max(begin_ns, collectives_.operation(*arrival).latest_ns);
    element.own_s = time_.granted_inside() *
                    static_cast<double>(std::max<std::int64_t>(0, call.event.end_ns - begin_ns)) / 1e9;
  }

  const profile::Profile& profile_;
  const waiting::Collectives& collectives_;
  const LayeredTags& tags_;
  std::uint32_t position_;
  const profile::RankProfile& rank_;
  CountedTime time_;
  Trace trace_;
  std::unordered_map<std::uint32_t, std::uint32_t> started_;  ///< collectives: event, by request
  std::unordered_map<std::uint32_t, std::string> site_of_request_;
  std::unordered_set<std::uint32_t> begun_uncounted_;
};

}  // namespace

std::optional<std::string> collective_name(std::string_view call) {
  constexpr std::string_view prefix = "MPI_";
  std::string name(call.substr(prefix.size()));
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (find(name) != nullptr) return name;
  if (name.starts_with('i') && find(name.substr(1)) != nullptr) return name.substr(1);
  return std::nullopt;
}

double collective_bytes(std::string_view name, const CollectiveShare& share) {
  return find(name)->bytes(share);
}

std::vector<Trace> traces_of(const profile::Profile& profile) {
  if (!profile::is_complete(profile))
    throw UsageError(
        fmt::format("the profile of '{}' is not complete", profile.program),
        profile.notes.empty() ? "a timing graph needs every call of every rank" : profile.notes.front(),
        "profile it again; if events were dropped, with a higher `loadshare profile --limit`");
  const waiting::Collectives collectives(profile);
  const LayeredTags tags(profile);
  std::vector<Trace> traces;
  for (std::uint32_t position = 0; position < profile.ranks.size(); ++position)
    traces.push_back(Tracer(profile, collectives, tags, position).traced());
  return traces;
}

double makespan_s(std::span<const Trace> traces) {
  if (traces.empty()) return 0;
  const auto end_s = [](const Trace& trace) { return trace.end_s - trace.left_out_s; };
  return end_s(std::ranges::max(traces, {}, end_s)) - std::ranges::min(traces, {}, &Trace::begin_s).begin_s;
}

}  // namespace loadshare::reconstruction
