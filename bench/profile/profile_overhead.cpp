#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

// Measures the cost of an event of a profile: cheap calls, run with and without the profile's library
// preloaded. Prints one JSON object, the nanoseconds per call; bench/compare takes the difference.
//   profile_overhead [STEPS [null|self|probe]]

namespace {

using Clock = std::chrono::steady_clock;

template <typename Step>
double ns_each(int steps, Step step) {
  for (int i = 0; i < steps / 10; ++i) step();
  const auto begun = Clock::now();
  for (int i = 0; i < steps; ++i) step();
  return std::chrono::duration<double, std::nano>(Clock::now() - begun).count() / steps;
}

/// One event: a message to MPI_PROC_NULL.
void send_to_null() {
  MPI_Send(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

/// Five events: two starts, a wait and its two parts.
void send_to_self() {
  int sent = 7;
  int received = 0;
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (received != sent) std::abort();
}

/// A test without success. The profile combines consecutive ones into one event.
void probe_without_success() {
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  if (flag != 0) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? std::atoi(argv[1]) : 200'000;
  const std::string_view wanted = argc > 2 ? argv[2] : "";
  const char* separator = "{";
  const std::pair<std::string_view, void (*)()> calls[] = {
      {"null", send_to_null}, {"self", send_to_self}, {"probe", probe_without_success}};
  for (const auto& [name, step] : calls) {
    if (!wanted.empty() && wanted != name) continue;
    fmt::print("{}\"{}_ns\": {:.1f}", separator, name, ns_each(steps, step));
    separator = ", ";
  }
  fmt::print("}}\n");
  MPI_Finalize();
}
