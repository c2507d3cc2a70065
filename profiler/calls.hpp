#pragma once

#include <cstdint>
#include <span>

#include "profiler/profile.hpp"

/// The table of recorded MPI calls. A row has the call's name after `MPI_`, its kind and its send mode. A
/// profile stores row numbers, so a change of order is a change of the format (`format_version`).
// clang-format off
#define LOADSHARE_CALLS(X)                                                                                    \
  X(Send, send, standard) X(Bsend, send, buffered) X(Ssend, send, synchronous) X(Rsend, send, ready)          \
  X(Isend, send_start, standard) X(Ibsend, send_start, buffered) X(Issend, send_start, synchronous)           \
  X(Irsend, send_start, ready) X(Send_init, send_start, standard) X(Bsend_init, send_start, buffered)         \
  X(Ssend_init, send_start, synchronous) X(Rsend_init, send_start, ready) X(Recv, receive, none)              \
  X(Irecv, receive_start, none) X(Recv_init, receive_start, none) X(Mrecv, receive, none)                     \
  X(Imrecv, receive_start, none) X(Sendrecv, exchange, standard) X(Sendrecv_replace, exchange, standard)      \
  X(Wait, wait, none) X(Waitall, wait, none) X(Waitany, wait, none) X(Waitsome, wait, none)                   \
  X(Test, test, none) X(Testall, test, none) X(Testany, test, none) X(Testsome, test, none)                   \
  X(Probe, probe, none) X(Mprobe, probe, none) X(Iprobe, probe_test, none) X(Improbe, probe_test, none)       \
  X(Barrier, all_to_all, none) X(Allreduce, all_to_all, none) X(Allgather, all_to_all, none)                  \
  X(Allgatherv, all_to_all, none) X(Alltoall, all_to_all, none) X(Alltoallv, all_to_all, none)                \
  X(Alltoallw, all_to_all, none) X(Reduce_scatter, all_to_all, none)                                          \
  X(Reduce_scatter_block, all_to_all, none) X(Bcast, one_to_all, none) X(Scatter, one_to_all, none)           \
  X(Scatterv, one_to_all, none) X(Gather, all_to_one, none) X(Gatherv, all_to_one, none)                      \
  X(Reduce, all_to_one, none) X(Scan, prefix, none) X(Exscan, prefix, none)                                   \
  X(Neighbor_allgather, neighbors, none) X(Neighbor_allgatherv, neighbors, none)                              \
  X(Neighbor_alltoall, neighbors, none) X(Neighbor_alltoallv, neighbors, none)                                \
  X(Neighbor_alltoallw, neighbors, none) X(Ibarrier, collective_start, none)                                  \
  X(Iallreduce, collective_start, none) X(Iallgather, collective_start, none)                                 \
  X(Iallgatherv, collective_start, none) X(Ialltoall, collective_start, none)                                 \
  X(Ialltoallv, collective_start, none) X(Ialltoallw, collective_start, none)                                 \
  X(Ireduce_scatter, collective_start, none) X(Ireduce_scatter_block, collective_start, none)                 \
  X(Ibcast, collective_start, none) X(Iscatter, collective_start, none) X(Iscatterv, collective_start, none)  \
  X(Igather, collective_start, none) X(Igatherv, collective_start, none) X(Ireduce, collective_start, none)   \
  X(Iscan, collective_start, none) X(Iexscan, collective_start, none)                                         \
  X(Ineighbor_allgather, collective_start, none) X(Ineighbor_allgatherv, collective_start, none)              \
  X(Ineighbor_alltoall, collective_start, none) X(Ineighbor_alltoallv, collective_start, none)                \
  X(Ineighbor_alltoallw, collective_start, none) X(Comm_dup, all_to_all, none)                                \
  X(Comm_dup_with_info, all_to_all, none) X(Comm_idup, collective_start, none)                                \
  X(Comm_split, all_to_all, none) X(Comm_split_type, all_to_all, none) X(Comm_create, all_to_all, none)       \
  X(Comm_create_group, making_group, none) X(Cart_create, all_to_all, none) X(Cart_sub, all_to_all, none)     \
  X(Graph_create, all_to_all, none) X(Dist_graph_create, all_to_all, none)                                    \
  X(Dist_graph_create_adjacent, all_to_all, none) X(Intercomm_create, making_group, none)                     \
  X(Intercomm_merge, all_to_all, none) X(Comm_free, loose_collective, none)                                   \
  X(Comm_disconnect, loose_collective, none) X(Win_create, window_collective, none)                           \
  X(Win_allocate, window_collective, none) X(Win_allocate_shared, window_collective, none)                    \
  X(Win_create_dynamic, window_collective, none) X(Win_free, window_collective, none)                         \
  X(Win_fence, window_collective, none) X(Win_start, window_start, none) X(Win_post, window_post, none)       \
  X(Win_complete, window_complete, none) X(Win_wait, window_wait, none) X(Win_test, window_wait, none)        \
  X(Win_lock, window_lock, none) X(Win_unlock, window_lock, none) X(Win_lock_all, window_lock, none)          \
  X(Win_unlock_all, window_lock, none) X(Win_flush, window_lock, none) X(Win_flush_all, window_lock, none)    \
  X(Win_flush_local, window_lock, none) X(Win_flush_local_all, window_lock, none) X(Win_sync, local, none)    \
  X(Put, window_transfer, none) X(Get, window_transfer, none) X(Accumulate, window_transfer, none)            \
  X(Get_accumulate, window_transfer, none) X(Fetch_and_op, window_transfer, none)                             \
  X(Compare_and_swap, window_transfer, none) X(Rput, window_transfer, none) X(Rget, window_transfer, none)    \
  X(Raccumulate, window_transfer, none) X(Rget_accumulate, window_transfer, none)                             \
  X(Request_free, local, none) X(Cancel, local, none) X(Request_get_status, test, none)                       \
  X(Start, local, none) X(Startall, local, none) X(Buffer_detach, other, none) X(Comm_spawn, other, none)     \
  X(Comm_spawn_multiple, other, none) X(Comm_accept, other, none) X(Comm_connect, other, none)                \
  X(Comm_join, other, none) X(File_open, loose_collective, none) X(File_close, loose_collective, none)        \
  X(File_delete, other, none) X(File_sync, loose_collective, none) X(File_set_size, loose_collective, none)   \
  X(File_preallocate, loose_collective, none) X(File_set_view, loose_collective, none)                        \
  X(File_read, file_transfer, none) X(File_read_all, loose_collective, none)                                  \
  X(File_read_shared, other, none) X(File_read_ordered, loose_collective, none)                               \
  X(File_read_at, file_transfer, none) X(File_read_at_all, loose_collective, none)                            \
  X(File_write, file_transfer, none) X(File_write_all, loose_collective, none)                                \
  X(File_write_shared, other, none) X(File_write_ordered, loose_collective, none)                             \
  X(File_write_at, file_transfer, none) X(File_write_at_all, loose_collective, none)                          \
  X(File_read_all_begin, loose_collective, none) X(File_read_all_end, loose_collective, none)                 \
  X(File_read_ordered_begin, loose_collective, none) X(File_read_ordered_end, loose_collective, none)         \
  X(File_read_at_all_begin, loose_collective, none) X(File_read_at_all_end, loose_collective, none)           \
  X(File_write_all_begin, loose_collective, none) X(File_write_all_end, loose_collective, none)               \
  X(File_write_ordered_begin, loose_collective, none) X(File_write_ordered_end, loose_collective, none)       \
  X(File_write_at_all_begin, loose_collective, none) X(File_write_at_all_end, loose_collective, none)         \
  X(File_iread, file_transfer, none) X(File_iread_all, file_transfer, none)                                   \
  X(File_iread_shared, other, none) X(File_iread_at, file_transfer, none)                                     \
  X(File_iread_at_all, file_transfer, none) X(File_iwrite, file_transfer, none)                               \
  X(File_iwrite_all, file_transfer, none) X(File_iwrite_shared, other, none)                                  \
  X(File_iwrite_at, file_transfer, none) X(File_iwrite_at_all, file_transfer, none) X(Pcontrol, local, none)
// clang-format on

namespace loadshare::profile {

#define LOADSHARE_CALL_ID(name, kind, mode) name,
enum class CallId : std::uint16_t { LOADSHARE_CALLS(LOADSHARE_CALL_ID) count };
#undef LOADSHARE_CALL_ID

inline constexpr std::size_t call_count = static_cast<std::size_t>(CallId::count);

/// Returns the rows in the order of CallId.
std::span<const CallFacts> call_table();

}  // namespace loadshare::profile
