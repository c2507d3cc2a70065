#include "runtime/transport/waiting.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/names.hpp"

namespace loadshare {
namespace {

constexpr std::array<std::pair<std::string_view, WaitPolicy>, 4> policies{{{"spin", WaitPolicy::spin},
                                                                           {"yield", WaitPolicy::yield},
                                                                           {"nap", WaitPolicy::nap},
                                                                           {"auto", WaitPolicy::automatic}}};

}  // namespace

WaitPolicy parse_wait_policy(std::string_view text) {
  for (const auto& [name, policy] : policies)
    if (name == text) return policy;
  std::vector<std::string> names;
  for (const auto& [name, policy] : policies) names.emplace_back(name);
  throw unknown_name("--wait", text, names);
}

std::string_view name_of(WaitPolicy policy) {
  for (const auto& [name, value] : policies)
    if (value == policy) return name;
  return "?";
}

WaitPolicy resolve(WaitPolicy policy, int threads, int cores) {
  if (policy != WaitPolicy::automatic) return policy;
  return threads <= cores ? WaitPolicy::spin : WaitPolicy::nap;
}

}  // namespace loadshare
