// The reference of the empty chunks over TCP: a master and workers written by hand, with only what the loop
// needs. The master waits in epoll and answers all chunks of a read by one write. Workers are processes that
// block in read and answer in the same way. Chunks contain one iteration and no work.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/descriptor.hpp"
#include "bench/reference/arguments.hpp"
#include "bench/reference/empty_loop.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"

namespace {

using namespace loadshare;

struct Chunk24 {
  std::int64_t first = 0;
  std::int64_t size = 1;  // 0: no more chunks
  std::int64_t id = 0;
};
static_assert(sizeof(Chunk24) == 24);

void without_delay(int socket) {
  const int on = 1;
  checked(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "cannot set TCP_NODELAY");
}

void send_all(int socket, std::span<const Chunk24> chunks) {
  const auto bytes = static_cast<ssize_t>(chunks.size_bytes());
  if (bytes > 0 && send(socket, chunks.data(), chunks.size_bytes(), MSG_NOSIGNAL) != bytes)
    throw_errno("cannot send a chunk");
}

/// A splitter of a socket's bytes into chunks.
class Incoming {
 public:
  /// Returns the chunks of one read; empty if the other side has ended.
  std::span<const Chunk24> read(int socket) {
    const std::size_t complete = bytes_ / sizeof(Chunk24) * sizeof(Chunk24);
    bytes_ -= complete;
    std::memmove(room_.data(), reinterpret_cast<char*>(room_.data()) + complete, bytes_);
    char* rest = reinterpret_cast<char*>(room_.data()) + bytes_;
    const ssize_t count = recv(socket, rest, sizeof room_ - bytes_, 0);
    bytes_ += static_cast<std::size_t>(checked(static_cast<int>(count), "cannot receive chunks"));
    return std::span(room_).first(bytes_ / sizeof(Chunk24));
  }

 private:
  std::array<Chunk24, 1024> room_;
  std::size_t bytes_ = 0;
};

void work(int socket, bench::Tally& tally) {
  Incoming incoming;
  for (;;) {
    const std::span<const Chunk24> chunks = incoming.read(socket);
    if (chunks.empty()) throw Error(ExitCode::run_failed, "the master has ended");
    for (const Chunk24& chunk : chunks) {
      if (chunk.size == 0) return;
      tally.count += chunk.size;
      tally.sum += chunk.first;
    }
    send_all(socket, chunks);
  }
}

class Master {
 public:
  explicit Master(std::vector<Descriptor> sockets)
      : sockets_(std::move(sockets)),
        incoming_(sockets_.size()),
        ready_(checked(epoll_create1(0), "cannot use epoll")) {
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      checked(epoll_ctl(ready_.number(), EPOLL_CTL_ADD, sockets_[i].number(), &event), "cannot use epoll");
    }
  }

  double chunks_per_s(std::int64_t iterations, int depth) {
    const double begun_s = monotonic_s();
    const std::int64_t end = next_ + iterations;
    for (const Descriptor& socket : sockets_) give(socket, static_cast<std::size_t>(depth), end);
    for (std::int64_t returned = 0; returned < iterations;) {
      std::array<epoll_event, 64> events;
      const int count =
          checked(epoll_wait(ready_.number(), events.data(), events.size(), -1), "cannot wait in epoll");
      for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(count))) {
        const Descriptor& socket = sockets_[event.data.u64];
        const std::size_t done = incoming_[event.data.u64].read(socket.number()).size();
        returned += static_cast<std::int64_t>(done);
        give(socket, done, end);
      }
    }
    return static_cast<double>(iterations) / (monotonic_s() - begun_s);
  }

  void stop() {
    const Chunk24 last{.size = 0};
    for (const Descriptor& socket : sockets_) send_all(socket.number(), std::span(&last, 1));
  }
  std::int64_t given() const { return next_; }

 private:
  void give(const Descriptor& socket, std::size_t count, std::int64_t end) {
    chunks_.clear();
    for (; count > 0 && next_ < end; --count, ++next_) chunks_.push_back({next_, 1, next_});
    send_all(socket.number(), chunks_);
  }

  std::vector<Descriptor> sockets_;
  std::vector<Incoming> incoming_;
  Descriptor ready_;
  std::vector<Chunk24> chunks_;
  std::int64_t next_ = 0;
};

struct Listener {
  Descriptor socket;
  sockaddr_in address{};
};

Listener listen_at_loopback() {
  Listener listener{
      Descriptor(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "cannot make a socket")), {}};
  listener.address.sin_family = AF_INET;
  listener.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof listener.address;
  auto* address = reinterpret_cast<sockaddr*>(&listener.address);
  checked(bind(listener.socket.number(), address, size), "cannot listen on loopback");
  checked(listen(listener.socket.number(), 64), "cannot listen on loopback");
  checked(getsockname(listener.socket.number(), address, &size), "cannot listen on loopback");
  return listener;
}

/// Starts processes that connect and work until the master stops them.
void start_workers(const Listener& listener, std::span<bench::Tally> tallies) {
  for (bench::Tally& tally : tallies) {
    if (checked(fork(), "cannot start a worker") != 0) continue;
    _exit(run_program([&] {
      const Descriptor line(
          checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "cannot make a socket"));
      const auto* address = reinterpret_cast<const sockaddr*>(&listener.address);
      checked(connect(line.number(), address, sizeof listener.address), "cannot connect to the master");
      without_delay(line.number());
      work(line.number(), tally);
      return ExitCode::good;
    }));
  }
}

std::vector<Descriptor> accept(const Listener& listener, std::size_t count) {
  std::vector<Descriptor> sockets;
  while (sockets.size() < count) {
    sockets.emplace_back(
        checked(accept4(listener.socket.number(), nullptr, nullptr, SOCK_CLOEXEC), "no worker connects"));
    without_delay(sockets.back().number());
  }
  return sockets;
}

void await_workers(std::size_t count) {
  for (int status = 0; count > 0; --count)
    if (checked(wait(&status), "cannot wait for the workers"); status != 0)
      throw Error(ExitCode::run_failed, "a worker has failed");
}

ExitCode run(int argc, char** argv) {
  const bench::Arguments arguments(
      argc, argv,
      {{"--iterations", "200000"}, {"--prefetch", "4"}, {"--repetitions", "3"}, {"--workers", "1"}});
  const Index iterations = arguments.number("--iterations", 1);
  const auto workers = static_cast<std::size_t>(arguments.number("--workers", 1));
  const int depth = arguments.small_number("--prefetch", 0) + 1;
  const Listener listener = listen_at_loopback();
  const std::span<bench::Tally> tallies = bench::shared_tallies(workers);
  start_workers(listener, tallies);
  Master master(accept(listener, workers));
  master.chunks_per_s(iterations / 10 + 1, depth);
  std::vector<double> rates;
  for (Index i = 0; i < arguments.number("--repetitions", 1); ++i)
    rates.push_back(master.chunks_per_s(iterations, depth));
  master.stop();
  await_workers(workers);
  bench::require_each_once(bench::sum_of(tallies), master.given());
  fmt::print(R"({{"program": "epoll_loop", "iterations": {}, "workers": {}, "prefetch": {}, )"
             R"("chunks_per_s": {}, "verified": true}})"
             "\n",
             iterations, workers, depth - 1, bench::json_list(rates));
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
