#pragma once

#include "models/waiting/matching.hpp"
#include "models/waiting/wait.hpp"

namespace loadshare::waiting {

/// What the requests that `completion` completed were waited for within `in`: the completion itself, or the
/// tests in vain before it. All of them until the last partner came; MPI_Waitany, MPI_Waitsome and their
/// tests until the first.
Wait late_request(const Matching& matching, std::uint32_t rank, const Call& completion,
                  const profile::Event& in);

/// The same of a call that sends one message and receives another.
Wait late_exchange(const Matching& matching, std::uint32_t rank, const Call& call);

}  // namespace loadshare::waiting
