#pragma once

#include "apps/loadshare/predict/question.hpp"

namespace loadshare::tool {

/// Settles what messages cost in a question: as calibrated, as --costs says, by the rates of the hosts'
/// links, or by default, which is noted. Throws UsageError where a default would have to do and `is_strict`.
void choose_network(const QuestionRequest& request, Question& question);

}  // namespace loadshare::tool
