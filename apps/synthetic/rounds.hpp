#pragma once

#include <cstdint>

namespace loadshare::synthetic {

/// Computes so many rounds of a fixed loop that stays in the processor's registers: the unit of busy work.
/// Each round needs the one before it, so they take the same time wherever they are counted.
void compute_rounds(std::uint64_t rounds);

/// How many rounds this processor computes in a second of its time, other programs' share not counted: the
/// fastest of several short trials, about 30 ms of processor time in all.
std::uint64_t measure_rounds_per_second();

}  // namespace loadshare::synthetic
