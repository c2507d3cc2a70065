#pragma once

#include "runtime/profile/interpose/kernels.hpp"
#include "runtime/profile/interpose/section.hpp"

namespace loadshare::profile {

/// At the end of a run: the other kernels' leaders send their files to rank 0, which takes them in behind its
/// own, and remove them when they are safe there. What finds no room stays where it is; the reader finds it.
void merge_sections(Section& section, const Kernels& kernels);

}  // namespace loadshare::profile
