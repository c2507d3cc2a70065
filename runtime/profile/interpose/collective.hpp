#pragma once

#include "runtime/profile/interpose/open_requests.hpp"
#include "runtime/profile/interpose/record.hpp"
#include "runtime/profile/interpose/shares.hpp"

/// A collective and its non-blocking form, which takes a request more. The last argument is the Message of a
/// rank, by `shares`.
#define LOADSHARE_COLLECTIVE(name, start, parameters, arguments, ...)                                    \
  LOADSHARE_INTERPOSE(name)                                                                              \
  int PMPI_##name(LOADSHARE_LIST parameters) {                                                           \
    const auto describe = [&] {                                                                          \
      const Shares shares(group);                                                                        \
      return __VA_ARGS__;                                                                                \
    };                                                                                                   \
    return record(CallId::name, LOADSHARE_PLACE, describe, [&] { return real_##name arguments; });       \
  }                                                                                                      \
  LOADSHARE_INTERPOSE(start)                                                                             \
  int PMPI_##start(LOADSHARE_LIST parameters, MPI_Request* request) {                                    \
    const auto describe = [&] {                                                                          \
      const Shares shares(group);                                                                        \
      return __VA_ARGS__;                                                                                \
    };                                                                                                   \
    const void* place = LOADSHARE_PLACE;                                                                 \
    return record(                                                                                       \
        CallId::start, place, describe, [&] { return real_##start(LOADSHARE_LIST arguments, request); }, \
        [&](std::uint64_t begin_ticks, const Message& message) {                                         \
          leave_collective_start({CallId::start, begin_ticks, place}, message, *request);                \
        });                                                                                              \
  }
