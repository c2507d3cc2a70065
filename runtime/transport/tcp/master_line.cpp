#include "runtime/transport/tcp/master_line.hpp"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/text.hpp"
#include "runtime/transport/tcp/tls.hpp"

namespace loadshare::tcp {
namespace {

constexpr double most_start_s = 10;

/// A socket that is connected with the first of these that answers. The kernel would ask one that is silent,
/// for its network is cut, for two minutes; here it is for seven seconds, so that a network that is there
/// again is soon found to be.
Socket connect(asio::io_context& io, const Endpoints& endpoints, std::error_code& error) {
  constexpr int questions = 2;  // after the first
  Socket socket(io);
  for (const auto& endpoint : endpoints) {
    socket.close(error);
    if (socket.open(endpoint.protocol(), error)) continue;
    setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_SYNCNT, &questions, sizeof(questions));
    if (!socket.connect(endpoint, error)) break;
  }
  return socket;
}

void throw_if_interrupted(const NetworkOptions& network) {
  if (network.interrupted != nullptr && network.interrupted->load())
    throw Error(ExitCode::interrupted, "interrupted", "while this process waited for the master");
}

/// Whether the master, which had admitted this process before, has ended: its host refuses the connection.
bool has_master_ended(const NetworkOptions& network, std::error_code error) {
  return !network.known_as.empty() && !network.may_come_back && error == asio::error::connection_refused;
}

[[noreturn]] void throw_no_master(const Address& address, const Endpoints& endpoints, std::string why) {
  if (const std::string note = own_host_note(address, endpoints); !note.empty()) why += ": " + note;
  throw Error(ExitCode::run_failed, no_master_at + address.text(), why,
              "start the master with --listen " + address.text());
}

/// Before the master is tried again.
void pause(const NetworkOptions& network) {
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  throw_if_interrupted(network);
}

}  // namespace

Dialled dial(Loop& loop, const NetworkOptions& network, double patience_s, const std::string& option) {
  const Address address = Address::parse(option, network.join);
  const Endpoints endpoints = resolve(loop.io(), option, address);
  const Admission::Wiring wiring = make_wiring(Side::worker, network, address, endpoints);
  const double end_s = monotonic_s() + patience_s;
  for (;;) {
    std::error_code error;
    Socket socket = connect(loop.io(), endpoints, error);
    if (!error) {
      const int number = socket.native_handle();
      return {wiring, endpoints, std::make_shared<Connection>(loop, std::move(socket), wiring(number))};
    }
    throw_if_interrupted(network);
    if (is_out_of_files(error))
      throw Error(ExitCode::run_failed, "cannot reach the master at " + address.text(), error_text(error));
    if (monotonic_s() > end_s || has_master_ended(network, error))
      throw_no_master(address, endpoints, error_text(error));
    pause(network);
  }
}

void throw_not_let_in(const NetworkOptions& network, const std::string& why) {
  throw UsageError("the master at " + network.join + " refuses this process",
                   why.empty() ? "it closed the connection" : why,
                   "give both sides the same --secret-file, or none");
}

// Who starts both at once need not see to it that the master is first.
MasterLine::MasterLine(const NetworkOptions& network, std::size_t workers)
    : network_(network),
      end_s_(begun_s_ + (network.known_as.empty() ? most_start_s : network.patience_s)),
      dialled_(dial(loop_, network, end_s_ - monotonic_s())) {
  end_run();
  introduce(workers);
}

void MasterLine::set_run(Take take, std::function<bool()> send_more,
                         std::function<void(std::uint64_t)> sent) {
  take_run_ = std::move(take);
  line().start({.take = [this](const Frame& frame) { this->take(frame); },
                .ended = [this](const std::string& why) { ended_ = why; },
                .send_more = std::move(send_more),
                .sent = std::move(sent)});
}

void MasterLine::leave_run() noexcept {
  try {
    line().own_all();
    end_run();
  } catch (...) {
    line().close();
    ended_ = "no memory";
  }
}

void MasterLine::introduce(std::size_t workers) {
  constexpr int exchanges = 5, pauses = 5;
  line().send(own_hello(workers, network_));
  while (!await_answer()) {
    for (int i = 0; i < pauses; ++i) pause(network_);
    dialled_ = dial(loop_, network_, end_s_ - monotonic_s());
    ended_.reset();
    end_run();
    line().send(own_hello(workers, network_));
  }
  for (int i = 0; i < exchanges; ++i) say_alive(), loop_.wait(1e-3);
  // Of a process that a master has started, only what goes wrong is of interest.
  if (!network_.started_as.empty()) return;
  network_.note("joined the master at " + network_.join + " with " + std::to_string(workers) +
                (workers == 1 ? " worker" : " workers"));
}

// A master that is stopped, or computes what it begins with, answers later; another program never. One that
// is resumed may be killed again, or refuse its journal: who waits for a master goes on waiting.
bool MasterLine::await_answer() {
  constexpr double note_after_s = 5;
  const double begun_s = monotonic_s();
  for (bool is_noted = false; rank_ == 0; loop_.wait(1)) {
    if (refusal_) throw UsageError(refusal_->problem, refusal_->why, refusal_->suggestion);
    if (ended_) {
      require_another_attempt();
      return false;
    }
    throw_if_interrupted(network_);
    const double waited_s = monotonic_s() - begun_s;
    if (waited_s > network_.patience_s)
      throw Error(ExitCode::run_failed, "the master at " + network_.join + " does not answer",
                  "a program listens there, but sends nothing",
                  "check that it is a master, and not stopped; --patience sets how long a worker waits");
    if (waited_s > note_after_s && !std::exchange(is_noted, true))
      network_.note("the master at " + network_.join + " has not answered yet");
  }
  return true;
}

// 1. A master that is resumed may end again before it answers, so any reason is worth another attempt.
// 2. A secret that differs stays different.
// 3. A connection that ends without a word may lead to a master that has just ended, or into a tunnel to one
//    that does not listen yet. It is tried for as long as a master that is not there, from the first time on.
// 4. Any other answer comes from another program that has the port, which may give it up much later.
void MasterLine::require_another_attempt() {
  if (comes_back() && monotonic_s() < end_s_) return;
  if (line().has_other_secret()) throw_not_let_in(network_, *ended_);
  const bool is_nonsense = !ended_->empty();
  const double patience_end_s = begun_s_ + network_.patience_s;
  if (is_nonsense) end_s_ = patience_end_s;
  if (!is_nonsense && !unanswered_until_s_) unanswered_until_s_ = monotonic_s() + most_start_s;
  const double last_s =
      is_nonsense ? patience_end_s : std::min({end_s_, patience_end_s, *unanswered_until_s_});
  if (monotonic_s() >= last_s && is_nonsense)
    throw Error(ExitCode::run_failed, no_master_at + network_.join,
                "another program seems to use that port: " + *ended_,
                "check the address given to --join; --patience sets how long a worker tries");
  if (monotonic_s() >= last_s) throw_not_let_in(network_, *ended_);
  if (std::exchange(is_retry_noted_, true)) return;
  network_.note(
      fmt::format("{} {}; trying again for {}", network_.join,
                  is_nonsense ? "does not answer as a master does (" + *ended_ + ")"
                              : "closed the connection without a reason (a master does so if it ends, or if "
                                "its --secret-file differs)",
                  duration_text(last_s - monotonic_s())));
}

// What is queued before it may take long, where the network is slow.
void MasterLine::say_farewell() {
  constexpr double patience_s = 2;
  line().send(Farewell{});
  line().send_last();
  loop_.wait_while_it_shrinks(
      patience_s, [this] { return ended_.has_value(); }, [this] { return line().left_bytes(); });
}

void MasterLine::wait_for_master() {
  require_master();
  throw_if_interrupted(network_);
  loop_.wait(1);
}

void MasterLine::require_master() const {
  if (is_dismissed_) throw Error(ExitCode::good, "this process was asked to leave");
  if (!ended_) return;
  if (has_farewell_) throw Error(ExitCode::run_failed, "the master has ended", "it has nothing more to do");
  if (network_.start_again && is_master_there_again()) network_.start_again(name_, may_come_back_);
  throw Error(ExitCode::run_failed, "the connection to the master at " + network_.join + " is lost", *ended_);
}

// Nothing may delay this, so the note is left out if stderr has no room, or memory none for a text.
void MasterLine::end_computing() const noexcept {
  const bool is_interrupted = network_.interrupted != nullptr && network_.interrupted->load();
  try {
    pollfd has_room{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (poll(&has_room, 1, 0) == 1)
      network_.note("the lease has run out, because the master at " + network_.join +
                    " was not reached: this process abandons its chunks, and other workers may get them");
    if (network_.start_again && !is_interrupted) network_.start_again(name_, may_come_back_);
  } catch (...) {
  }
  _exit(static_cast<int>(is_interrupted ? ExitCode::interrupted : ExitCode::run_failed));
}

// Where its host says that nobody listens there any more, it has ended, and said no farewell: it was killed,
// and is waited for where it may be resumed. Else the network was cut, perhaps.
bool MasterLine::is_master_there_again() const {
  network_.note("the connection to the master at " + network_.join +
                " was lost; trying to reconnect for up to " + duration_text(network_.patience_s));
  asio::io_context io;
  for (const double end_s = monotonic_s() + network_.patience_s; monotonic_s() < end_s;) {
    pause(network_);
    std::error_code error;
    connect(io, dialled_.endpoints, error);  // while it is cut, its name may not be found
    if (!error) return true;
    if (error == asio::error::connection_refused && !may_come_back_) return false;
  }
  return false;
}

// The owner of the master's socket is known only when its first frame has arrived: before the master accepts
// the connection, no process holds that socket.
void MasterLine::take(const Frame& frame) {
  if (rank_ == 0 && !refusal_) refusal_ = line().objection();
  if (rank_ == 0 && refusal_) return;
  switch (frame.kind) {
    case FrameKind::welcome:
      return take_welcome(decode<Welcome>(frame));
    case FrameKind::refusal:
      refusal_ = decode<Refusal>(frame);
      return;
    case FrameKind::text:
      return take_text(decode<TextPart>(frame), frame.payload);
    case FrameKind::pulse:
      return take_pulse(decode<Pulse>(frame));
    case FrameKind::dismissal:
      is_dismissed_ = true;
      return network_.note("this process was asked to leave, and ends");
    case FrameKind::farewell:
      has_farewell_ = true;
      return;
    default:
      if (take_run_) take_run_(frame);
  }
}

void MasterLine::take_welcome(const Welcome& welcome) {
  rank_ = welcome.rank;
  name_ = welcome.name;
  // Whoever was started by a master is gone with that one.
  may_come_back_ = welcome.may_come_back && network_.started_as.empty();
}

void MasterLine::take_pulse(const Pulse& pulse) {
  offset_.learn(pulse);
  lease_from_s_ = std::max(lease_from_s_, pulse.lease_from_s);
}

void MasterLine::take_text(const TextPart& part, ByteView payload) {
  if (text_.size() + payload.size() > part.total) throw BadFrame("a text is longer than announced");
  text_.append(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (text_.size() == part.total) texts_.push_back(std::exchange(text_, {}));
}

std::string MasterLine::next_text() {
  while (texts_.empty()) wait_for_master();
  std::string text = std::move(texts_.front());
  texts_.pop_front();
  return text;
}

void MasterLine::answer(const std::string& text) {
  ++rounds_;
  std::size_t first = 0;
  do {
    const std::size_t bytes = std::min(most_payload_bytes, text.size() - first);
    line().send(AnswerPart{rounds_, text.size()}, std::as_bytes(std::span(text).subspan(first, bytes)));
    first += bytes;
  } while (first < text.size());
}

}  // namespace loadshare::tcp
