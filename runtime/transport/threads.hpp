#pragma once

#include "runtime/transport/transport.hpp"

namespace loadshare {

/// Workers are threads of this process, and the calling thread is the master. What programs use without
/// mpirun; nothing travels, every chunk is computed in place.
std::unique_ptr<Transport> make_thread_transport(std::size_t workers);

}  // namespace loadshare
