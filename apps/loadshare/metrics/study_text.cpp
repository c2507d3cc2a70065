#include "apps/loadshare/metrics/study_text.hpp"

#include <algorithm>

#include "apps/loadshare/metrics/isoefficiency_text.hpp"
#include "apps/loadshare/metrics/legend.hpp"
#include "apps/loadshare/metrics/point_text.hpp"
#include "apps/loadshare/metrics/scaling_text.hpp"
#include "apps/loadshare/metrics/wording.hpp"

namespace loadshare::tool {

namespace {

/// Names come from files that anybody may have written; a terminal obeys control characters.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return (c < ' ' && c != '\n') || c == 0x7f; }, '?');
  return text;
}

std::string text_of(const Study& study, const StudyRequest& request) {
  if (const Point* point = study.only_point())
    return point_text(*point, study.settings.front()) + notes_text(study.notes);
  std::string text;
  for (const SettingStudy& setting : study.settings) text += scaling_text(setting, study);
  if (request.kept_efficiency) text += isoefficiency_text(study, *request.kept_efficiency);
  return text + scaling_legend() + notes_text(study.notes);
}

}  // namespace

std::string study_text(const Study& study, const StudyRequest& request) {
  return printable(text_of(study, request));
}

}  // namespace loadshare::tool
