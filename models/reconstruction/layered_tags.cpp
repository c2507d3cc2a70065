#include "models/reconstruction/layered_tags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "schedulers/error.hpp"

namespace loadshare::reconstruction {

namespace {

constexpr std::int32_t tags_of_a_layer = 1 << 20;

}  // namespace

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
    throw UsageError(fmt::format("a message on a communicator of the program's own has tag {}", event.tag),
                     fmt::format("timing graphs have room for tags below {} there", tags_of_a_layer));
  return layer * tags_of_a_layer + event.tag;
}

}  // namespace loadshare::reconstruction
