#include "apps/loadshare/survey/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/loadshare/metrics/shared_processors.hpp"
#include "apps/loadshare/survey/busy_time.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

constexpr Index least_pieces = 30;
constexpr double most_turn_error = 0.15;

std::vector<std::string> remarks_on_processors(const std::vector<SurveyedRank>& ranks) {
  std::vector<RankProcessors> processors;
  for (const SurveyedRank& rank : ranks) processors.push_back({rank.host, rank.cpus});
  return remarks_on_shared_processors(processors, "what one has is not available to the others");
}

void add_remarks_on_limits(const std::vector<SurveyedRank>& ranks, std::vector<std::string>& remarks) {
  std::map<std::string, Index> limited;
  for (const SurveyedRank& rank : ranks)
    if (rank.grant) ++limited[rank.host];
  for (const auto& [host, number] : limited)
    if (number > 1)
      remarks.push_back(fmt::format(
          "{} ranks of host {} live by one control group's limit: each is granted an equal part of it",
          number, host));
}

void add_remark_on_pieces(const std::vector<SurveyedRank>& ranks, std::vector<std::string>& remarks) {
  const auto few =
      std::ranges::count_if(ranks, [](const SurveyedRank& rank) { return rank.speed.pieces < least_pieces; });
  if (few > 0)
    remarks.push_back(fmt::format("{} of {} computed fewer than {} pieces of work: give more --seconds", few,
                                  count_text(std::ssize(ranks), "rank", "ranks"), least_pieces));
}

void add_remark_on_turns(const HostSurvey& survey, std::vector<std::string>& remarks) {
  double most = 0;
  for (const SurveyedRank& rank : survey.ranks)
    if (rank.grant) most = std::max(most, turn_error(*rank.grant, survey.seconds));
  if (most > most_turn_error)
    remarks.push_back(
        fmt::format("limits let ranks run in few long turns, so what is available may be up to "
                    "{:.0f} % off: give more --seconds",
                    100 * most));
}

}  // namespace

std::vector<std::string> remarks_on(const HostSurvey& survey) {
  std::vector<std::string> remarks = remarks_on_processors(survey.ranks);
  add_remarks_on_limits(survey.ranks, remarks);
  add_remark_on_pieces(survey.ranks, remarks);
  add_remark_on_turns(survey, remarks);
  return remarks;
}

}  // namespace loadshare::tool
