#pragma once

namespace loadshare::matmul {

/// Starts libxsmm, once a process; call it before its first use and before other threads allocate memory.
///
/// libxsmm clears its whole table of generated code, 10 MiB of which a run uses a few pages; with a process a
/// worker that would be more than everything else a worker needs. The pages that hold nothing but zeros are
/// given back to the system, which gives zeros again when they are written.
void start_code_generator();

}  // namespace loadshare::matmul
