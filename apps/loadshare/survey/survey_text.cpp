#include "apps/loadshare/survey/survey_text.hpp"

#include <fmt/format.h>

#include <set>

#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

std::string grant_cell(const std::optional<predictor::Grant>& grant) {
  if (!grant) return "-";
  return fmt::format("{:.3g} of each {}", grant->share, duration_text(grant->period_s));
}

std::vector<std::string> row_of(const SurveyedRank& rank) {
  const MeasuredSpeed& speed = rank.speed;
  return {fmt::format("{:>4}", rank.rank),
          rank.host,
          fmt::format("{:.3g}", speed.median_gflops),
          fmt::format("{:.3g} to {:.3g}", speed.low_gflops, speed.high_gflops),
          grant_cell(rank.grant),
          fmt::format("{:.1f}", 100 * rank.busy),
          fmt::format("{:.1f}", 100 * rank.available)};
}

std::string heading_of(const HostSurvey& survey) {
  std::set<std::string> hosts;
  for (const SurveyedRank& rank : survey.ranks) hosts.insert(rank.host);
  return fmt::format("survey: {} on {}, busy for {}{}\n",
                     count_text(static_cast<Index>(survey.ranks.size()), "rank", "ranks"),
                     count_text(static_cast<Index>(hosts.size()), "host", "hosts"),
                     duration_text(survey.seconds), survey.ranks.size() > 1 ? " at the same time" : "");
}

}  // namespace

std::string survey_text(const HostSurvey& survey) {
  std::vector<std::vector<std::string>> rows{
      {"rank", "host", "GFLOP/s", "5 to 95 %", "grant", "busy%", "available%"}};
  for (const SurveyedRank& rank : survey.ranks) rows.push_back(row_of(rank));
  const std::string text = heading_of(survey) + "\n" + table_text(rows, 2);
  return survey.notes.empty() ? text : text + "\n" + notes_text(survey.notes);
}

}  // namespace loadshare::tool
