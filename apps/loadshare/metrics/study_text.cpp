#include "apps/loadshare/metrics/study_text.hpp"

#include "apps/loadshare/metrics/isoefficiency_text.hpp"
#include "apps/loadshare/metrics/legend.hpp"
#include "apps/loadshare/metrics/point_text.hpp"
#include "apps/loadshare/metrics/scaling_text.hpp"
#include "apps/loadshare/metrics/wording.hpp"

namespace loadshare::tool {

std::string study_text(const Study& study, const StudyRequest& request) {
  if (const Point* point = study.only_point())
    return point_text(*point, study.settings.front()) + notes_text(study.notes);
  std::string text;
  for (const SettingStudy& setting : study.settings) text += scaling_text(setting, study);
  if (request.kept_efficiency) text += isoefficiency_text(study, *request.kept_efficiency);
  return text + scaling_legend() + notes_text(study.notes);
}

}  // namespace loadshare::tool
