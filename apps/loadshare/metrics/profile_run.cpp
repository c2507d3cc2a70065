#include "apps/loadshare/metrics/profile_run.hpp"

#include "models/granularity/account.hpp"
#include "models/waiting/accounts.hpp"
#include "runtime/profile/profile.hpp"

namespace loadshare::tool {

SourcedRun read_profile_run(const std::string& path) {
  SourcedRun run;
  run.place = path;
  const profile::Profile profile = profile::read_profile(path);
  const waiting::Matching matching(profile);
  run.times = waiting::account(matching);
  run.losses = waiting::losses(matching);
  granularity::require_sound(run.times, path + ": ");
  run.setting.program = run.times.program;
  // What a program tells of itself is another measurement than what is seen of it from outside.
  run.setting.options[measured_by_option] = std::string("profile");
  return run;
}

}  // namespace loadshare::tool
