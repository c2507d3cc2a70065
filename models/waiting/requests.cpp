#include "models/waiting/requests.hpp"

#include <algorithm>

namespace loadshare::waiting {
namespace {

bool makes_request(const profile::Event& event) {
  using profile::CallKind;
  if (event.part != profile::Part::call || event.request == 0) return false;
  const CallKind kind = profile::facts(event).kind;
  return kind == CallKind::send_start || kind == CallKind::receive_start ||
         kind == CallKind::collective_start;
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

}  // namespace loadshare::waiting
