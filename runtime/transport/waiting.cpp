#include "runtime/transport/waiting.hpp"

#include <string>

#include "base/names.hpp"

namespace loadshare {
namespace {

constexpr Choices<WaitPolicy, 4> policies{{{"spin", WaitPolicy::spin},
                                           {"yield", WaitPolicy::yield},
                                           {"nap", WaitPolicy::nap},
                                           {"auto", WaitPolicy::automatic}}};

}  // namespace

WaitPolicy parse_wait_policy(std::string_view text) {
  return choose("--wait", std::string(text), policies);
}

std::string_view name_of(WaitPolicy policy) {
  return name_among(policies, policy);
}

WaitPolicy resolve(WaitPolicy policy, int threads, int cores) {
  if (policy != WaitPolicy::automatic) return policy;
  return threads <= cores ? WaitPolicy::spin : WaitPolicy::nap;
}

}  // namespace loadshare
