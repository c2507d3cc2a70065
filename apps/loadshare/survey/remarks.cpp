#include "apps/loadshare/survey/remarks.hpp"

#include <fmt/format.h>

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

void add_remarks_on_time(const SurveyedRank& rank, double seconds, std::vector<std::string>& remarks) {
  if (rank.speed.pieces < least_pieces)
    remarks.push_back(fmt::format("rank {} computed {} only: give more --seconds", rank.rank,
                                  count_text(rank.speed.pieces, "piece of work", "pieces of work")));
  const double error = rank.grant ? turn_error(*rank.grant, seconds) : 0;
  if (error > most_turn_error)
    remarks.push_back(
        fmt::format("rank {} is let run in few long turns, so what is available to it may be "
                    "{:.0f} % off: give more --seconds",
                    rank.rank, 100 * error));
}

}  // namespace

std::vector<std::string> remarks_on(const HostSurvey& survey) {
  std::vector<std::string> remarks = remarks_on_processors(survey.ranks);
  add_remarks_on_limits(survey.ranks, remarks);
  for (const SurveyedRank& rank : survey.ranks) add_remarks_on_time(rank, survey.seconds, remarks);
  return remarks;
}

}  // namespace loadshare::tool
