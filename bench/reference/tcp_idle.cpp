// Measures the cost of idle workers for a master that listens. Each idle worker is a connection over
// loopback, while the master's own worker computes for some seconds.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <asio/ip/tcp.hpp>
#include <chrono>
#include <cstdio>
#include <deque>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/io/descriptor.hpp"
#include "base/io/system_file.hpp"
#include "bench/reference/arguments.hpp"
#include "bench/reference/tcp_members.hpp"
#include "runtime/farm/farm.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/tcp/silence.hpp"
#include "runtime/transport/tcp/tls.hpp"

namespace {

using namespace loadshare;

void sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

double own_cpu_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double resident_mb() {
  std::size_t all = 0, resident = 0;
  system_file("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) * 1e-6;
}

/// A loop of one iteration, during which the process measures its own use of processor and memory.
class Watching final : public Workload {
 public:
  explicit Watching(double seconds) : seconds_(seconds) {}

  Index iterations() const override { return 1; }
  bool uses_processor() const override { return false; }
  void compute(Work&) override {
    sleep(1);
    const double before_s = own_cpu_s(), begun_s = monotonic_s();
    sleep(seconds_);
    core_percent = 100 * (own_cpu_s() - before_s) / (monotonic_s() - begun_s);
    memory_mb = resident_mb();
  }

  double core_percent = 0, memory_mb = 0;

 private:
  double seconds_;
};

/// Simulated workers, which only send that they are ready and then that they are alive.
class Crowd {
 public:
  Crowd(const std::string& address, const std::string& secret_file)
      : address_(tcp::Address::parse("--join", address)),
        ends_(tcp::resolve(loop_.io(), "--join", address_)) {
    NetworkOptions network;
    network.secret_file = secret_file;
    wiring_ = tcp::make_wiring(tcp::Side::worker, network, address_, ends_);
  }

  void join(std::size_t count) {
    while (lines_.size() < count) {
      connect();
      loop_.poll();
    }
    while (welcome_ < count) loop_.wait(1);
  }
  /// Sends their signs of life until the first connection ends.
  void idle() {
    using tcp::SilenceWatch;
    for (double idle_at_s = 0, busy_at_s = 0; !is_over_; loop_.wait(SilenceWatch::beat_s)) {
      const double now_s = monotonic_s();
      if (now_s >= idle_at_s) send_alive(false), idle_at_s = now_s + SilenceWatch::idle_beat_s;
      if (now_s >= busy_at_s) send_alive(true), busy_at_s = now_s + SilenceWatch::beat_s;
    }
  }

 private:
  static constexpr std::size_t workers_of_address = 200;

  struct Line {
    std::shared_ptr<tcp::Connection> connection;
    bool is_busy = false;
  };

  void send_alive(bool is_busy) {
    for (Line& line : lines_)
      if (line.is_busy == is_busy) line.connection->send(tcp::Alive{is_busy ? monotonic_s() : 0, 0});
  }

  void connect() {
    // A master limits the processes per address, so these come from several addresses.
    const auto address = static_cast<std::uint32_t>(INADDR_LOOPBACK + lines_.size() / workers_of_address);
    tcp::Socket socket(loop_.io());
    socket.open(asio::ip::tcp::v4());
    socket.bind({asio::ip::address_v4(address), 0});
    socket.connect(ends_.front());
    const int number = socket.native_handle();
    Line& line = lines_.emplace_back();
    line.connection = std::make_shared<tcp::Connection>(loop_, std::move(socket), wiring_(number));
    line.connection->start({.take = [this, &line](const tcp::Frame& frame) { take(line, frame); },
                            .ended = [this](const std::string&) { is_over_ = true; }});
    line.connection->send(tcp::own_hello(1));
  }

  void take(Line& line, const tcp::Frame& frame) {
    if (frame.kind == tcp::FrameKind::order)
      line.is_busy = true;  // a copy of the only chunk, which it never returns
    if (frame.kind == tcp::FrameKind::stop) is_over_ = true;
    if (frame.kind != tcp::FrameKind::welcome) return;
    ++welcome_;
    line.connection->send(tcp::Ready{1, 0, 0});
  }

  tcp::Loop loop_;
  tcp::Address address_;
  tcp::Endpoints ends_;
  tcp::Admission::Wiring wiring_;
  std::deque<Line> lines_;
  std::size_t welcome_ = 0;
  bool is_over_ = false;
};

ExitCode run(int argc, const char* const* argv) {
  const bench::Arguments arguments(argc, argv,
                                   {{"--seconds", "8"}, {"--secret-file", ""}, {"--workers", "2000"}});
  const Index workers = arguments.number("--workers", 1);
  const std::string secret_file = arguments.text("--secret-file");
  bench::Members members;
  members.start([&](const std::string& address) {
    Crowd crowd(address, secret_file);
    crowd.join(static_cast<std::size_t>(workers));
    crowd.idle();
  });
  FarmOptions options;
  options.workers = 1;
  options.network = members.network();
  options.network.secret_file = secret_file;
  options.network.expect = workers + 1;
  Watching watching(static_cast<double>(arguments.number("--seconds", 1)));
  Farm farm(options);
  const RunRecord record = farm.run(watching);
  if (record.chunks_total != 1) throw Error(ExitCode::run_failed, "the run is wrong");
  fmt::print(
      R"({{"program": "tcp_idle", "workers": {}, "core_percent": {:.3f}, "memory_mb": {:.1f}, "verified": true}})"
      "\n",
      workers, watching.core_percent, watching.memory_mb);
  std::fflush(stdout);
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
