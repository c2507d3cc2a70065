#include "runtime/farm/options.hpp"

#include <vector>

#include "base/error.hpp"
#include "schedulers/spec.hpp"

namespace loadshare {

FailureRule parse_failure_rule(std::string_view text) {
  constexpr std::string_view kind = "failure rule", times = "times";
  constexpr Index most = 100;
  const std::vector<ParameterInfo> again{{std::string(times), "1", "how often the chunk is given again"}};
  const Spec spec = parse_spec(kind, text,
                               {{"end", "a chunk that throws ends the run", {}},
                                {"retry", "it is given again, and ends the run if that does not help", again},
                                {"skip", "likewise, but only the iteration at fault is left out", again}});
  const Index retries = spec.whole(times, 0).value_or(1);
  if (retries > most)
    throw UsageError(spec.said(times, std::to_string(retries)), "at most " + std::to_string(most));
  FailureRule rule{.retries = static_cast<std::uint8_t>(retries), .text = spec.text()};
  if (spec.name != "end") rule.on_failure = spec.name == "retry" ? OnFailure::retry : OnFailure::skip;
  return rule;
}

}  // namespace loadshare
