#pragma once

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// A lab of two hosts, as if it were up.
inline LabState sample_lab() {
  LabState state;
  state.plan = {"pair", 10000, {{"slow", 0.1, 10'000'000}, {"fast", 0.3, 100'000'000}}};
  state.file = "/somewhere/pair.yaml";
  state.is_up = true;
  state.users = {by_hand, "/home/me/results"};
  state.subnet = {0x0ad00000, 24};
  state.groups = {GroupVersion::v1, "/sys/fs/cgroup/cpu/loadshare-pair"};
  state.places = {{"10.208.0.1", {0}}, {"10.208.0.2", {1}}};
  return state;
}

}  // namespace loadshare::lab
