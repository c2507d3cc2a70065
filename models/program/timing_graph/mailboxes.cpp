#include "models/program/timing_graph/mailboxes.hpp"

#include <algorithm>

namespace loadshare::timing_graph {
namespace {

bool takes_tag(std::int32_t receive, std::int32_t message) {
  return receive == any_tag ? message >= 0 : receive == message;
}

bool takes_source(std::int32_t receive, std::int32_t message) {
  return receive == any_source || receive == message;
}

bool is_open(const Op& op) {
  return op.kind == OpKind::receive && op.peer == any_source;
}

}  // namespace

Mailboxes::Mailboxes(const Program& program) {
  for (std::size_t process = 0; process < program.process_count(); ++process)
    has_open_receives_.push_back(std::ranges::any_of(program.ops_of(process), is_open));
}

Mailboxes::Box& Mailboxes::box(std::int32_t destination, std::int32_t source) {
  const auto to = static_cast<std::uint64_t>(destination);
  const auto from = has_open_receives_[to] ? std::uint64_t{0} : static_cast<std::uint64_t>(source);
  return boxes_[to << 32 | from];
}

void Mailboxes::append(List& list, Entry entry) {
  const auto number = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(entry);
  if (list.first == nothing)
    list.first = number;
  else
    entries_[list.last].next = number;
  list.last = number;
}

template <class Fits>
std::uint32_t Mailboxes::take(List& list, Fits fits) {
  std::uint32_t before = nothing;
  for (std::uint32_t at = list.first; at != nothing; before = at, at = entries_[at].next) {
    if (!fits(entries_[at])) continue;
    (before == nothing ? list.first : entries_[before].next) = entries_[at].next;
    if (list.last == at) list.last = before;
    return entries_[at].item;
  }
  return nothing;
}

std::uint32_t Mailboxes::take_message(std::int32_t destination, std::int32_t source, std::int32_t tag) {
  return take(box(destination, source).messages, [=](const Entry& message) {
    return takes_source(source, message.source) && takes_tag(tag, message.tag);
  });
}

std::uint32_t Mailboxes::take_receive(std::int32_t destination, std::int32_t source, std::int32_t tag) {
  return take(box(destination, source).receives, [=](const Entry& receive) {
    return takes_source(receive.source, source) && takes_tag(receive.tag, tag);
  });
}

std::vector<std::uint32_t> Mailboxes::left(List Box::*list) const {
  std::vector<std::uint32_t> items;
  for (const auto& [key, box] : boxes_)
    for (std::uint32_t at = (box.*list).first; at != nothing; at = entries_[at].next)
      items.push_back(entries_[at].item);
  std::ranges::sort(items);
  return items;
}

std::vector<std::uint32_t> Mailboxes::messages_left() const {
  return left(&Box::messages);
}

std::vector<std::uint32_t> Mailboxes::receives_left() const {
  return left(&Box::receives);
}

}  // namespace loadshare::timing_graph
