#include "models/waiting/channels.hpp"

namespace loadshare::waiting {

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

}  // namespace loadshare::waiting
