#include "runtime/transport/tcp/master_line.hpp"

#include <algorithm>
#include <asio/connect.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "runtime/transport/tcp/tls.hpp"

namespace loadshare::tcp {

MasterLine::MasterLine(const NetworkOptions& network, std::size_t workers) : network_(network) {
  connect();
  end_run();
  introduce(workers);
}

// Who starts both at once need not see to it that the master is first.
void MasterLine::connect() {
  constexpr double patience_s = 10;
  const Address address = Address::parse("--join", network_.join);
  const Admission::Wiring wiring =
      make_wiring(Side::worker, network_, address, resolve(loop_.io(), "--join", address));
  const double end_s = monotonic_s() + patience_s;
  for (;;) {
    Socket socket(loop_.io());
    std::error_code error;
    asio::connect(socket, resolve(loop_.io(), "--join", address), error);
    if (!error) {
      const int number = socket.native_handle();
      line_ = std::make_shared<Connection>(loop_, std::move(socket), wiring(number));
      wiring_ = wiring;
      return;
    }
    if (monotonic_s() > end_s)
      throw Error(ExitCode::run_failed, "no master at " + address.text(), error.message(),
                  "start it with --listen " + address.text());
    asio::steady_timer(loop_.io(), std::chrono::milliseconds(200)).wait();
  }
}

void MasterLine::set_run(Take take, std::function<bool()> send_more,
                         std::function<void(std::uint64_t)> sent) {
  take_run_ = std::move(take);
  line_->start({.take = [this](const Frame& frame) { this->take(frame); },
                .ended = [this](const std::string& why) { ended_ = why; },
                .send_more = std::move(send_more),
                .sent = std::move(sent)});
}

void MasterLine::introduce(std::size_t workers) {
  constexpr int exchanges = 5;
  line_->send(own_hello(workers));
  while (rank_ == 0) {
    if (refusal_) throw UsageError(refusal_->problem, refusal_->why, refusal_->suggestion);
    if (ended_)
      throw UsageError("the master at " + network_.join + " does not let this process in",
                       ended_->empty() ? "it ended the connection" : *ended_,
                       "see that both sides have the same --secret-file, or none");
    loop_.wait(1);
  }
  for (int i = 0; i < exchanges; ++i) say_alive(), loop_.wait(1e-3);
  network_.note("joined the master at " + network_.join + " with " + std::to_string(workers) +
                (workers == 1 ? " worker" : " workers"));
}

void MasterLine::require_master() const {
  if (!ended_) return;
  if (has_farewell_) throw Error(ExitCode::run_failed, "the master has ended", "it has nothing more to do");
  throw Error(ExitCode::run_failed, "the master at " + network_.join + " is gone", *ended_);
}

void MasterLine::take(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::welcome:
      rank_ = decode<Welcome>(frame).rank;
      return;
    case FrameKind::refusal:
      refusal_ = decode<Refusal>(frame);
      return;
    case FrameKind::text:
      return take_text(decode<TextPart>(frame), frame.payload);
    case FrameKind::pulse:
      return offset_.learn(decode<Pulse>(frame));
    case FrameKind::farewell:
      has_farewell_ = true;
      return;
    default:
      if (take_run_) take_run_(frame);
  }
}

void MasterLine::take_text(const TextPart& part, ByteView payload) {
  if (text_.size() + payload.size() > part.total) throw BadFrame("a text is longer than it should be");
  text_.append(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (text_.size() == part.total) texts_.push_back(std::exchange(text_, {}));
}

std::string MasterLine::next_text() {
  while (texts_.empty()) {
    require_master();
    loop_.wait(1);
  }
  std::string text = std::move(texts_.front());
  texts_.pop_front();
  return text;
}

void MasterLine::answer(const std::string& text) {
  ++rounds_;
  std::size_t first = 0;
  do {
    const std::size_t bytes = std::min(most_payload_bytes, text.size() - first);
    line_->send(AnswerPart{rounds_, text.size()}, std::as_bytes(std::span(text).subspan(first, bytes)));
    first += bytes;
  } while (first < text.size());
}

}  // namespace loadshare::tcp
