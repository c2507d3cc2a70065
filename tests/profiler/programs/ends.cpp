// Sends some messages to itself and ends as its first argument says:
// - finalize, abort, exit, kill: ends in this way.
// - `flood N`: sends N messages. `duplicates N`: creates N communicators. `files N`: writes N times.
// - `compute MS`, `sleep MS`; `nap MS`: tests for a message with naps in between; `move MS`: stays in MPI.
// - `threads`: another thread calls MPI too. `two-threads MS`: computes in two threads.
// - `fork`: a child continues without MPI. `child MS`: forks a child that ends by _exit, and computes.
// - `confined N`: may write few bytes. `snatch MS`: reuses the descriptor of a file that is not its own, and
//   computes.
// - `private`: checks that no message arrives that the program did not send.
// - `wait MS`: computes; rank 0 then waits for rank 1 until that aborts.
// - `hang MS`: computes, and waits for a message that is never sent. `cut MS`: likewise, and rank 0 is killed
//   meanwhile.
// - `handle MS`: computes with a handler of SIGTERM that ends the program by _exit(5). `early MS`: likewise,
//   with a handler from before MPI_Init.
// - `crash MS`: computes, and causes a fault. `leave N`: calls _exit(N).
// - `chain SIGNAL`: raises it with a handler that calls the previous one. `ignore`: has ignored SIGPIPE since
//   before MPI_Init.
#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

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

/// The other thread makes as many calls as the recorded one.
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

/// Limits the files of this process to 300 KiB.
void confine() {
  const rlimit limit{300 << 10, 300 << 10};
  setrlimit(RLIMIT_FSIZE, &limit);
}

void wait_for_the_end(int ms) {
  compute(ms);
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  MPI_Recv(nullptr, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

bool is_over(std::chrono::steady_clock::time_point begin, int ms) {
  return std::chrono::steady_clock::now() >= begin + std::chrono::milliseconds(ms);
}

void nap(int ms) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 3, MPI_COMM_SELF, &request);
  for (const auto begin = std::chrono::steady_clock::now(); !is_over(begin, ms);) {
    int flag = 0;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    usleep(200);
  }
  MPI_Send(nullptr, 0, MPI_BYTE, 0, 3, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Small enough to be prepared outside MPI before another program can take the processor for long.
void move(int ms) {
  constexpr int bytes = 256 << 10;
  const std::vector<char> out(bytes, 1);
  std::vector<char> in(bytes);
  for (const auto begin = std::chrono::steady_clock::now(); !is_over(begin, ms);)
    MPI_Sendrecv(out.data(), bytes, MPI_CHAR, 0, 1, in.data(), bytes, MPI_CHAR, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
}

void duplicate(int times) {
  for (int i = 0; i < times; ++i) {
    MPI_Comm same = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &same);
    MPI_Comm_free(&same);
  }
}

/// Replaces the file of the kernel's accounting of this thread by a file of numbers.
void snatch(int ms) {
  namespace fs = std::filesystem;
  std::ofstream("numbers") << "1 900000000000 3\n";
  const int file = open("numbers", O_RDONLY);
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code none;
    if (fs::read_symlink(entry.path(), none).filename() == "schedstat")
      dup2(file, std::stoi(entry.path().filename()));
  }
  compute(ms);
  send_to_self(1);
}

void write_file(int times) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_SELF, "written", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  for (int i = 0; i < times; ++i) MPI_File_write_at(file, i * 4, &i, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 3, MPI_COMM_SELF, &request);
  int flag = 0;
  for (int i = 0; i < times; ++i) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  std::vector<char> room(1 << 10);
  MPI_Buffer_attach(room.data(), 1 << 10);
  MPI_Bsend(nullptr, 0, MPI_BYTE, 0, 3, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(&detached, &size);
}

void hang(int ms) {
  compute(ms);
  MPI_Recv(nullptr, 0, MPI_BYTE, 1 - rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void hang_until_killed(int ms) {
  std::thread([ms] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * ms));
    if (rank == 0) std::raise(SIGKILL);
  }).detach();
  hang(ms);
}

void leave_on_sigterm() {
  std::signal(SIGTERM, [](int) { _exit(5); });
}

void handle(int ms) {
  leave_on_sigterm();
  compute(ms);
}

void (*handler_before)(int) = nullptr;

/// Makes another call in between, whose arguments overwrite the place of a siginfo_t.
void chain(int signal) {
  handler_before = std::signal(signal, [](int number) {
    kill(getpid(), 0);
    if (handler_before != SIG_DFL && handler_before != SIG_IGN) handler_before(number);
  });
  std::raise(signal);
}

void break_a_pipe() {
  int ends[2] = {};
  if (pipe(ends) != 0) std::abort();
  close(ends[0]);
  if (write(ends[1], "x", 1) != -1) std::abort();
  send_to_self(5);
}

void compute_after_a_child(int ms) {
  fork_a_child();
  compute(ms);
}

void compute_in_two(int ms) {
  std::thread other(compute, ms);
  compute(ms);
  other.join();
}

void crash(int ms) {
  compute(ms);
  volatile int* nowhere = nullptr;
  *nowhere = 1;
}

void act_before_init(const std::string& what) {
  if (what == "early") leave_on_sigterm();
  if (what == "ignore") std::signal(SIGPIPE, SIG_IGN);
}

void act(const std::string& what, int amount) {
  if (what == "flood") return send_to_self(amount);
  if (what == "confined") confine();
  if (what == "threads") return call_from_threads();
  if (what == "fork") return fork_a_child();
  if (what == "private") return look_for_messages();
  if (what == "wait") return wait_for_the_end(amount);
  if (what == "nap") return nap(amount);
  if (what == "move") return move(amount);
  if (what == "duplicates") return duplicate(amount);
  if (what == "snatch") return snatch(amount);
  if (what == "files") return write_file(amount);
  if (what == "hang") return hang(amount);
  if (what == "cut") return hang_until_killed(amount);
  if (what == "handle") return handle(amount);
  if (what == "early") return compute(amount);
  if (what == "crash") return crash(amount);
  if (what == "chain") return chain(amount);
  if (what == "ignore") return break_a_pipe();
  if (what == "child") return compute_after_a_child(amount);
  if (what == "two-threads") return compute_in_two(amount);
  if (what == "leave") _exit(amount);
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
  const std::string what = argc > 1 ? argv[1] : "finalize";
  act_before_init(what);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  act(what, argc > 2 ? std::atoi(argv[2]) : 20);
  MPI_Finalize();
}
