#include "runtime/profile/interpose/record.hpp"

namespace loadshare::profile {

constinit thread_local const void* fortran_place = nullptr;

}  // namespace loadshare::profile
