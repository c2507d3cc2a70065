#pragma once

#include "models/messages/calibration.hpp"

namespace loadshare::tool::test {

/// One launch of two ranks, with a few messages and chunks.
inline calibration::Calibration made_calibration() {
  using communication::ReceivePosted;
  using communication::SendMode;
  calibration::Calibration made;
  made.launches = {{"2026-01-31T12:00:00Z",
                    1.5,
                    {{0, "n1", {0, 1}}, {1, "n2", {}}},
                    {{"btl", "tcp,self"}},
                    {{"mpi", "Open MPI v4.1.4"}},
                    7,
                    2.5e-8}};
  made.messages = {
      {0, 0, 1, SendMode::standard, ReceivePosted::before, 64, {{1e-6, 2e-6, false}}},
      {0, 0, 1, SendMode::standard, ReceivePosted::after, 64, {{3e-6, 4e-6, false}, {5e-6, 6e-6, true}}},
      {0, 0, 1, SendMode::standard, ReceivePosted::after, 99, {{7e-6, 8e-6, true}}}};
  made.round_trips = {{0, 0, 1, {1e-6, 3e-6}}};
  made.bursts = {{0, 0, 1, 64, 11, {1e-5, 3e-5}}};
  made.collectives = {{0, "allreduce", 2, 8, {5e-6, 7e-6}}};
  made.rooted_calls = {{0, "bcast", 2, 8, {{0, 3e-6}, {1e-6, 0}}, {{1e-6, 4e-6}, {2e-6, 5e-6}}}};
  made.chunks = {{0, 1, "packed", 100, 4, {2e-6, 4e-6, 6e-6}}};
  return made;
}

}  // namespace loadshare::tool::test
