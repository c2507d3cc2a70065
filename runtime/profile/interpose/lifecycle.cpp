#include "runtime/profile/interpose/endings.hpp"
#include "runtime/profile/interpose/record.hpp"
#include "runtime/profile/interpose/run.hpp"

using namespace loadshare::profile;

namespace {

/// A profile is nothing that a program may fail for.
void begin_if_possible(int result, const ClockPair& before) {
  if (result != MPI_SUCCESS) return;
  try {
    begin_run(before);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "loadshare profile: cannot begin (%s) the program runs on, unprofiled\n",
                 error.what());
  }
}

ClockPair first_look() {
  Ticks::choose();
  return Ticks::pair();
}

}  // namespace

LOADSHARE_INTERPOSE(Init)
int PMPI_Init(int* argc, char*** argv) {
  const ClockPair before = first_look();
  const int result = real_Init(argc, argv);
  begin_if_possible(result, before);
  return result;
}

LOADSHARE_INTERPOSE(Init_thread)
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const ClockPair before = first_look();
  const int result = real_Init_thread(argc, argv, required, provided);
  begin_if_possible(result, before);
  return result;
}

LOADSHARE_INTERPOSE(Finalize)
int PMPI_Finalize() {
  if (where == Where::outside) safely(end_run);
  return real_Finalize();
}

LOADSHARE_INTERPOSE(Abort)
int PMPI_Abort(MPI_Comm group, int code) {
  if (where == Where::outside) {
    the_recorder->abort();
  } else if (is_recording) {
    the_recorder->section.slot().has_aborted = 1;
    sign_off(0);
  }
  return real_Abort(group, code);
}
