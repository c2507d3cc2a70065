#include "runtime/farm/membership_log.hpp"

#include <algorithm>
#include <utility>

#include "runtime/dispatch/iteration_pool.hpp"

namespace loadshare {

void MembershipLog::happened(MemberEvent::What what, WorkerId worker, double now_s,
                             const std::vector<Assignment>& held) {
  record_.events.push_back({now_s, what, worker, static_cast<Index>(held.size())});
  for (const Assignment& assignment : held) missing_.push_back(assignment.chunk);
  if (what == MemberEvent::What::lost) record_.lost += static_cast<Index>(held.size());
}

void MembershipLog::given(WorkerId worker, const Assignment& assignment, double now_s) {
  ++record_.given;
  Index again = 0;
  if (!missing_.empty()) {
    for (const Chunk missing : std::exchange(missing_, {})) {
      again += intersection(missing, assignment.chunk).size;
      for (const Chunk part : difference(missing, assignment.chunk)) missing_.push_back(part);
    }
  }
  if (assignment.is_copy) again = assignment.chunk.size;
  reissue_.again +=
      std::min(again, assignment.chunk.size);  // counted once, also if two workers were lost with it
  if (again > 0) record_.given_again.push_back({now_s, worker, assignment.chunk});
}

MembershipRecord MembershipLog::record(double start_s, Index left) const {
  MembershipRecord record = record_;
  record.left = left;
  for (MemberEvent& event : record.events) event.at_s -= start_s;
  for (GivenAgain& again : record.given_again) again.at_s -= start_s;
  return record;
}

}  // namespace loadshare
