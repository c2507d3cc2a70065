#include "profiler/preload/record.hpp"

// MPI's Fortran interfaces (mpif.h, `use mpi`, `use mpi_f08`) come down to PMPI_..., where they are recorded
// with all handles translated already. What is seen no longer there is where the program made the call: it is
// kept here on the way through. All arguments are addresses, the last that of `ierror`.

namespace loadshare::profile {

constinit thread_local const void* fortran_place = nullptr;

namespace {

class Caller final {
 public:
  explicit Caller(const void* address) : before_(fortran_place) {
    if (before_ == nullptr) fortran_place = address;
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() { fortran_place = before_; }

 private:
  const void* before_;
};

}  // namespace
}  // namespace loadshare::profile

// clang-format off
#define LOADSHARE_PARAMETERS_2 void* a, void* b
#define LOADSHARE_ARGUMENTS_2 a, b
#define LOADSHARE_PARAMETERS_3 LOADSHARE_PARAMETERS_2, void* c
#define LOADSHARE_ARGUMENTS_3 LOADSHARE_ARGUMENTS_2, c
#define LOADSHARE_PARAMETERS_4 LOADSHARE_PARAMETERS_3, void* d
#define LOADSHARE_ARGUMENTS_4 LOADSHARE_ARGUMENTS_3, d
#define LOADSHARE_PARAMETERS_5 LOADSHARE_PARAMETERS_4, void* e
#define LOADSHARE_ARGUMENTS_5 LOADSHARE_ARGUMENTS_4, e
#define LOADSHARE_PARAMETERS_6 LOADSHARE_PARAMETERS_5, void* f
#define LOADSHARE_ARGUMENTS_6 LOADSHARE_ARGUMENTS_5, f
#define LOADSHARE_PARAMETERS_7 LOADSHARE_PARAMETERS_6, void* g
#define LOADSHARE_ARGUMENTS_7 LOADSHARE_ARGUMENTS_6, g
#define LOADSHARE_PARAMETERS_8 LOADSHARE_PARAMETERS_7, void* h
#define LOADSHARE_ARGUMENTS_8 LOADSHARE_ARGUMENTS_7, h
#define LOADSHARE_PARAMETERS_9 LOADSHARE_PARAMETERS_8, void* i
#define LOADSHARE_ARGUMENTS_9 LOADSHARE_ARGUMENTS_8, i
#define LOADSHARE_PARAMETERS_10 LOADSHARE_PARAMETERS_9, void* j
#define LOADSHARE_ARGUMENTS_10 LOADSHARE_ARGUMENTS_9, j
#define LOADSHARE_PARAMETERS_11 LOADSHARE_PARAMETERS_10, void* k
#define LOADSHARE_ARGUMENTS_11 LOADSHARE_ARGUMENTS_10, k
#define LOADSHARE_PARAMETERS_12 LOADSHARE_PARAMETERS_11, void* l
#define LOADSHARE_ARGUMENTS_12 LOADSHARE_ARGUMENTS_11, l
#define LOADSHARE_PARAMETERS_13 LOADSHARE_PARAMETERS_12, void* m
#define LOADSHARE_ARGUMENTS_13 LOADSHARE_ARGUMENTS_12, m
#define LOADSHARE_PARAMETERS_14 LOADSHARE_PARAMETERS_13, void* n
#define LOADSHARE_ARGUMENTS_14 LOADSHARE_ARGUMENTS_13, n

#define LOADSHARE_FORTRAN_ENTRY(entry, count)                                                    \
  extern "C" [[gnu::weak]] void p##entry(LOADSHARE_PARAMETERS_##count);                          \
  extern "C" [[gnu::visibility("default")]] void entry(LOADSHARE_PARAMETERS_##count);            \
  void entry(LOADSHARE_PARAMETERS_##count) {                                                     \
    const loadshare::profile::Caller caller(__builtin_return_address(0));                        \
    p##entry(LOADSHARE_ARGUMENTS_##count);                                                       \
  }
#define LOADSHARE_FORTRAN(name, count)                                                           \
  LOADSHARE_FORTRAN_ENTRY(mpi_##name##_, count) LOADSHARE_FORTRAN_ENTRY(mpi_##name##_f08_, count)

LOADSHARE_FORTRAN(barrier, 2) LOADSHARE_FORTRAN(comm_free, 2) LOADSHARE_FORTRAN(comm_disconnect, 2)
LOADSHARE_FORTRAN(win_free, 2) LOADSHARE_FORTRAN(win_complete, 2) LOADSHARE_FORTRAN(win_wait, 2)
LOADSHARE_FORTRAN(win_unlock_all, 2) LOADSHARE_FORTRAN(win_flush_all, 2)
LOADSHARE_FORTRAN(win_flush_local_all, 2) LOADSHARE_FORTRAN(win_sync, 2) LOADSHARE_FORTRAN(request_free, 2)
LOADSHARE_FORTRAN(cancel, 2) LOADSHARE_FORTRAN(start, 2)
LOADSHARE_FORTRAN(wait, 3) LOADSHARE_FORTRAN(ibarrier, 3) LOADSHARE_FORTRAN(comm_dup, 3)
LOADSHARE_FORTRAN(win_fence, 3) LOADSHARE_FORTRAN(win_test, 3) LOADSHARE_FORTRAN(win_unlock, 3)
LOADSHARE_FORTRAN(win_lock_all, 3) LOADSHARE_FORTRAN(win_flush, 3) LOADSHARE_FORTRAN(win_flush_local, 3)
LOADSHARE_FORTRAN(startall, 3)
LOADSHARE_FORTRAN(waitall, 4) LOADSHARE_FORTRAN(test, 4) LOADSHARE_FORTRAN(comm_dup_with_info, 4)
LOADSHARE_FORTRAN(comm_idup, 4) LOADSHARE_FORTRAN(comm_create, 4) LOADSHARE_FORTRAN(cart_sub, 4)
LOADSHARE_FORTRAN(intercomm_merge, 4) LOADSHARE_FORTRAN(win_create_dynamic, 4)
LOADSHARE_FORTRAN(win_start, 4) LOADSHARE_FORTRAN(win_post, 4)
LOADSHARE_FORTRAN(waitany, 5) LOADSHARE_FORTRAN(testall, 5) LOADSHARE_FORTRAN(probe, 5)
LOADSHARE_FORTRAN(comm_split, 5) LOADSHARE_FORTRAN(comm_create_group, 5) LOADSHARE_FORTRAN(win_lock, 5)
LOADSHARE_FORTRAN(mrecv, 6) LOADSHARE_FORTRAN(imrecv, 6) LOADSHARE_FORTRAN(waitsome, 6)
LOADSHARE_FORTRAN(testany, 6) LOADSHARE_FORTRAN(testsome, 6) LOADSHARE_FORTRAN(mprobe, 6)
LOADSHARE_FORTRAN(iprobe, 6) LOADSHARE_FORTRAN(bcast, 6) LOADSHARE_FORTRAN(comm_split_type, 6)
LOADSHARE_FORTRAN(send, 7) LOADSHARE_FORTRAN(bsend, 7) LOADSHARE_FORTRAN(ssend, 7)
LOADSHARE_FORTRAN(rsend, 7) LOADSHARE_FORTRAN(improbe, 7) LOADSHARE_FORTRAN(allreduce, 7)
LOADSHARE_FORTRAN(reduce_scatter, 7) LOADSHARE_FORTRAN(reduce_scatter_block, 7) LOADSHARE_FORTRAN(scan, 7)
LOADSHARE_FORTRAN(exscan, 7) LOADSHARE_FORTRAN(ibcast, 7) LOADSHARE_FORTRAN(cart_create, 7)
LOADSHARE_FORTRAN(graph_create, 7) LOADSHARE_FORTRAN(intercomm_create, 7) LOADSHARE_FORTRAN(win_create, 7)
LOADSHARE_FORTRAN(win_allocate, 7) LOADSHARE_FORTRAN(win_allocate_shared, 7)
LOADSHARE_FORTRAN(isend, 8) LOADSHARE_FORTRAN(ibsend, 8) LOADSHARE_FORTRAN(issend, 8)
LOADSHARE_FORTRAN(irsend, 8) LOADSHARE_FORTRAN(send_init, 8) LOADSHARE_FORTRAN(bsend_init, 8)
LOADSHARE_FORTRAN(ssend_init, 8) LOADSHARE_FORTRAN(rsend_init, 8) LOADSHARE_FORTRAN(recv, 8)
LOADSHARE_FORTRAN(irecv, 8) LOADSHARE_FORTRAN(recv_init, 8) LOADSHARE_FORTRAN(allgather, 8)
LOADSHARE_FORTRAN(alltoall, 8) LOADSHARE_FORTRAN(reduce, 8) LOADSHARE_FORTRAN(neighbor_allgather, 8)
LOADSHARE_FORTRAN(neighbor_alltoall, 8) LOADSHARE_FORTRAN(iallreduce, 8)
LOADSHARE_FORTRAN(ireduce_scatter, 8) LOADSHARE_FORTRAN(ireduce_scatter_block, 8)
LOADSHARE_FORTRAN(iscan, 8) LOADSHARE_FORTRAN(iexscan, 8) LOADSHARE_FORTRAN(fetch_and_op, 8)
LOADSHARE_FORTRAN(compare_and_swap, 8)
LOADSHARE_FORTRAN(allgatherv, 9) LOADSHARE_FORTRAN(scatter, 9) LOADSHARE_FORTRAN(gather, 9)
LOADSHARE_FORTRAN(neighbor_allgatherv, 9) LOADSHARE_FORTRAN(iallgather, 9) LOADSHARE_FORTRAN(ialltoall, 9)
LOADSHARE_FORTRAN(ireduce, 9) LOADSHARE_FORTRAN(ineighbor_allgather, 9)
LOADSHARE_FORTRAN(ineighbor_alltoall, 9) LOADSHARE_FORTRAN(put, 9) LOADSHARE_FORTRAN(get, 9)
LOADSHARE_FORTRAN(sendrecv_replace, 10) LOADSHARE_FORTRAN(alltoallv, 10) LOADSHARE_FORTRAN(alltoallw, 10)
LOADSHARE_FORTRAN(scatterv, 10) LOADSHARE_FORTRAN(gatherv, 10) LOADSHARE_FORTRAN(neighbor_alltoallv, 10)
LOADSHARE_FORTRAN(neighbor_alltoallw, 10) LOADSHARE_FORTRAN(iallgatherv, 10)
LOADSHARE_FORTRAN(iscatter, 10) LOADSHARE_FORTRAN(igather, 10) LOADSHARE_FORTRAN(ineighbor_allgatherv, 10)
LOADSHARE_FORTRAN(dist_graph_create, 10) LOADSHARE_FORTRAN(accumulate, 10) LOADSHARE_FORTRAN(rput, 10)
LOADSHARE_FORTRAN(rget, 10)
LOADSHARE_FORTRAN(ialltoallv, 11) LOADSHARE_FORTRAN(ialltoallw, 11) LOADSHARE_FORTRAN(iscatterv, 11)
LOADSHARE_FORTRAN(igatherv, 11) LOADSHARE_FORTRAN(ineighbor_alltoallv, 11)
LOADSHARE_FORTRAN(ineighbor_alltoallw, 11) LOADSHARE_FORTRAN(dist_graph_create_adjacent, 11)
LOADSHARE_FORTRAN(raccumulate, 11)
LOADSHARE_FORTRAN(sendrecv, 13) LOADSHARE_FORTRAN(get_accumulate, 13)
LOADSHARE_FORTRAN(rget_accumulate, 14)
    // clang-format on
