#include "apps/loadshare/metrics/losses.hpp"

#include <fmt/format.h>

#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

using waiting::Loss;
using waiting::WaitState;

constexpr std::size_t most_shown = 10;
constexpr double least_share_shown = 0.001;
constexpr std::size_t widest_place = 56;

/// Losses of several runs would be those of several programs' places.
const std::vector<Loss>* losses_of(const Point& point) {
  const bool has_some = point.runs.size() == 1 && !point.runs.front().losses.empty();
  return has_some ? &point.runs.front().losses : nullptr;
}

double all_ranks_s(const Point& point) {
  return point.runs.front().times.run_s * point.processors();
}

std::string reason(const Loss& loss) {
  return loss.state == WaitState::none ? "moving data" : fmt::format("waiting: {}", name_of(loss.state));
}

std::string place_text(const std::string& place) {
  if (place.size() <= widest_place) return place.empty() ? "-" : place;
  return place.substr(0, widest_place - 1) + "~";
}

}  // namespace

std::vector<Loss> shown_losses(const Point& point) {
  std::vector<Loss> shown;
  const std::vector<Loss>* losses = losses_of(point);
  if (losses == nullptr) return shown;
  for (const Loss& loss : *losses) {
    if (shown.size() == most_shown || loss.seconds / all_ranks_s(point) < least_share_shown) break;
    shown.push_back(loss);
  }
  return shown;
}

std::string losses_text(const Point& point) {
  const std::vector<Loss> losses = shown_losses(point);
  if (losses.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"call", "what for", "from", "% of all time"}};
  for (const Loss& loss : losses)
    rows.push_back({std::string(loss.call), reason(loss), place_text(loss.place),
                    percent_cell(loss.seconds / all_ranks_s(point))});
  return "\nwhere the time inside MPI and the idle time went, the greatest first\n\n" + table_text(rows, 3);
}

nlohmann::ordered_json losses_json(const Point& point) {
  const std::vector<Loss>* losses = losses_of(point);
  if (losses == nullptr) return nullptr;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Loss& loss : *losses) {
    const bool is_waiting = loss.state != WaitState::none;
    json.push_back({{"call", loss.call},
                    {"waiting_for", is_waiting ? nlohmann::ordered_json(name_of(loss.state)) : nullptr},
                    {"place", loss.place},
                    {"seconds", loss.seconds},
                    {"share", loss.seconds / all_ranks_s(point)}});
  }
  return json;
}

}  // namespace loadshare::tool
