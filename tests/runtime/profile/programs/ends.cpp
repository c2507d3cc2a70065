// Ends as it is told after some messages to itself: finalize, abort, exit, kill; `flood N` makes N of them;
// `threads` has another thread call MPI too; `confined N` may write little; `fork` has a child that goes its
// own way; `compute MS` and `sleep MS` between two barriers; `private` sees whether a message is under way
// that nobody sent.
#include <mpi.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

int rank = 0;

void send_to_self(int times) {
  for (int i = 0; i < times; ++i) {
    int out = i;
    int in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    if (in != out) std::abort();
  }
}

void compute(int ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// The other one calls as often as the recorded one.
void call_from_threads() {
  std::thread other([] { send_to_self(10); });
  other.join();
  send_to_self(10);
}

void fork_a_child() {
  const pid_t child = fork();
  if (child == 0) {
    send_to_self(1);  // what a child must not do, and may get away with
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  send_to_self(5);
}

void look_for_messages() {
  for (int i = 0; i < 1000; ++i) {
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (flag != 0) std::abort();
    usleep(rank == 0 ? 50 : 1);
  }
}

/// No file of this process may grow beyond 300 KiB.
void confine() {
  const rlimit limit{300 << 10, 300 << 10};
  setrlimit(RLIMIT_FSIZE, &limit);
}

void act(const std::string& what, int amount) {
  if (what == "flood") return send_to_self(amount);
  if (what == "confined") confine();
  if (what == "threads") return call_from_threads();
  if (what == "fork") return fork_a_child();
  if (what == "private") return look_for_messages();
  send_to_self(amount);
  if (what == "compute") compute(amount);
  if (what == "sleep") usleep(static_cast<useconds_t>(amount) * 1000);
  if (what == "abort" && rank == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (what == "exit") std::exit(0);
  if (what == "kill" && rank == 0) std::raise(SIGKILL);
  if (what == "abort" || what == "kill") std::this_thread::sleep_for(std::chrono::seconds(20));
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  act(argc > 1 ? argv[1] : "finalize", argc > 2 ? std::atoi(argv[2]) : 20);
  MPI_Finalize();
}
