#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/io/descriptor.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/tcp/frame.hpp"
#include "runtime/transport/tcp/messages.hpp"
#include "runtime/transport/waiting.hpp"

namespace loadshare::tcp {

using Socket = asio::ip::tcp::socket;

/// How bytes go over a socket, as they are or enciphered. Never blocks.
class Wire {
 public:
  enum class Outcome {
    moved,
    would_block,
    wants_input,  ///< of what is to be sent: the other side has to say something first
    ended,
  };
  struct Moved {
    Outcome outcome;
    std::size_t bytes = 0;  ///< of what would block: that came, and give nothing yet
  };

  virtual ~Wire() = default;
  virtual Moved read(std::span<std::byte> room) = 0;
  /// Some of these, from the first on.
  virtual Moved write(std::span<const iovec> parts) = 0;
  /// Whether it has read more off the socket than it gave out.
  virtual bool holds_more() const { return false; }
  /// What was wrong, where it ended otherwise than by the other side's wish.
  virtual std::string complaint() const { return {}; }
  /// Returns whether the connection ended because the other side has another secret.
  virtual bool has_other_secret() const { return false; }
  /// Returns why the process at the other end must not take part. To be called when its first frame has
  /// arrived.
  virtual std::optional<Refusal> objection() const { return std::nullopt; }
};

/// Makes a wire that carries bytes as they are, to and from any process. The socket must outlive it.
std::unique_ptr<Wire> make_plain_wire(int socket);

/// What the kernel knows of how the host at the other end answers.
struct Answering {
  double quiet_s = 0;       ///< since anything came of it, be it an acknowledgement
  double asks_again_s = 0;  ///< so long after it was sent the kernel sends anew what has no answer
  unsigned unanswered = 0;  ///< segments that are on their way
  unsigned probes = 0;      ///< in a row, whether it has room again, that have no answer
};
/// Whether that host is off, or the network is cut. The host of a process that is stopped answers, though it
/// has no room.
bool is_cut_off(const Answering& host);

class Connection;

/// What one thread's connections share: what they wait for together, room to read into, and who has something
/// to send. Messages are collected and leave together when the loop turns. Asio makes the connections and
/// looks after the clock; what they carry is waited for beside it, since arming its reactor anew after each
/// read would be a third of a short message's system calls.
class Loop {
 public:
  Loop();
  asio::io_context& io() { return io_; }
  std::span<std::byte> room() { return room_; }
  /// When it turned last (monotonic_s), or what is being taken was read.
  double turned_s() const { return turned_s_; }
  void has_read() { turned_s_ = monotonic_s(); }

  /// Does what can be done at once.
  void poll();
  /// The two halves of that: takes what has come; sends what is collected.
  void look() { turn(0); }
  void send();
  /// The same, and waits for something to do until then, `limit_s` seconds at most.
  void wait(double limit_s) {
    if (!comes_politely([] { return false; })) sleep(limit_s);
  }
  /// The same, until `is_done()` holds, and no longer than `patience_s` after `left()`, which counts what is
  /// left to be done, was less than ever before.
  template <class Done, class Left>
  void wait_while_it_shrinks(double patience_s, Done&& is_done, Left&& left) {
    std::size_t least = left();
    for (double end_s = monotonic_s() + patience_s; !is_done() && monotonic_s() < end_s; wait(0.01)) {
      const std::size_t now = left();
      if (now < least) end_s = monotonic_s() + patience_s;
      least = std::min(least, now);
    }
  }
  /// The same, and until the bell rings or `is_ready()` holds.
  template <class Ready>
  void wait(Doorbell& bell, Ready&& is_ready, double limit_s) {
    if (comes_politely(is_ready)) return;
    if (!bell.falls_asleep_at(alarm_.number(), is_ready)) return poll();
    sleep(limit_s);
    bell.wakes_up();
  }

  /// From now on the connection is told when it can read, and where it wants to, when it can write.
  void watch(int socket, std::shared_ptr<Connection> connection);
  void watch_writing(int socket, bool is_wanted);
  void forget(int socket) noexcept;
  /// Asio is asked when something comes here.
  void watch_for_asio(int socket);
  void has_to_send(std::shared_ptr<Connection> connection) { sending_.push_back(std::move(connection)); }
  /// It could not take all that it has.
  void has_to_read(std::shared_ptr<Connection> connection) { reading_.push_back(std::move(connection)); }

 private:
  /// Where little was waited for last, so it may be now, and to give way for a moment is less than to sleep
  /// and to be woken.
  template <class Ready>
  bool comes_politely(Ready&& is_ready) {
    if (!comes_soon_) return false;
    send();
    const bool has_come = yields_.until([&] { return turn(0) || is_ready(); });
    if (has_come) send();
    return has_come;
  }
  void sleep(double limit_s);
  bool turn(double limit_s);
  bool serve_all(double limit_s);
  void find_only_one() noexcept;
  void serve(int number, std::uint32_t what);
  void give_up_cut_off();
  void control(int operation, int number, std::uint32_t what);

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> stays_{io_.get_executor()};
  std::vector<std::byte> room_ = std::vector<std::byte>(4 * most_payload_bytes);
  Descriptor ready_;                                  // an epoll
  Descriptor alarm_;                                  // what wakes it, beside its connections
  std::vector<std::shared_ptr<Connection>> watched_;  // by their sockets' numbers
  std::shared_ptr<Connection> only_;                  // of these, if there is one
  std::vector<std::shared_ptr<Connection>> sending_, reading_;
  double turned_s_ = 0, asks_asio_at_s_ = 0, asks_kernel_at_s_ = 0;
  PoliteYields yields_;
  bool comes_soon_ = false;
};

/// Frames over one socket. Used by its loop's thread.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  /// Who is called, from within the loop.
  struct Owner {
    /// A frame came. May throw BadFrame, which ends the connection.
    std::function<void(const Frame&)> take;
    /// It has ended, for this reason; called once, and not where `close` was.
    std::function<void(const std::string& why)> ended;
    /// There is room to send more: sends a little and returns true, or has nothing.
    std::function<bool()> send_more = [] { return false; };
    /// A frame with a token has gone.
    std::function<void(std::uint64_t token)> sent = [](std::uint64_t) {};
    /// Something has come, be it a part of a frame; what it completes is taken afterwards.
    std::function<void()> came = [] {};
  };

  Connection(Loop& loop, Socket socket, std::unique_ptr<Wire> wire);

  /// From now on these are called; from within one of them, too.
  void start(Owner owner);
  bool is_open() const { return is_open_; }
  /// Its file descriptor; -1: it has none any more.
  int descriptor() const { return socket_.number(); }
  std::string peer_address() const { return peer_address_; }
  /// The same without the port.
  std::string peer_host() const { return peer_address_.substr(0, peer_address_.rfind(':')); }
  bool has_other_secret() const { return wire_->has_other_secret(); }
  std::optional<Refusal> objection() const { return wire_->objection(); }

  static constexpr std::uint64_t no_token = UINT64_MAX;

  /// Queues a frame, with a copy of the payload. `Owner::sent` is called with the token, if there is one,
  /// when it has gone.
  template <class Message>
  void send(const Message& message, ByteView payload = {}, std::uint64_t token = no_token) {
    if (!is_open_) return;
    Bytes& owned = owned_tail().owned;
    const std::size_t before = owned.size();
    append_frame_head(owned, Message::kind, encode(message), payload);
    owned.insert(owned.end(), payload.begin(), payload.end());
    queued(owned.size() - before);
    if (token != no_token) tokens_.push_back({queued_bytes_, token});
  }
  /// Queues a frame whose payload stays where it is until it has gone, or until `own_all`.
  template <class Message>
  void send_in_place(const Message& message, ByteView payload) {
    if (!is_open_) return;
    Segment& segment = segments_.emplace_back();
    append_frame_head(segment.owned, Message::kind, encode(message), payload);
    segment.view = payload;
    queued(segment.size());
  }

  /// There may be something for `Owner::send_more` to send.
  void wants_to_send();
  /// Sends what the socket takes.
  void flush();
  /// Takes what has come; returns whether anything has.
  bool read();
  void can_write();
  bool awaits_writable() const { return awaits_writable_; }
  /// Whether all that was to be sent is on its way.
  bool is_empty() const { return segments_.empty(); }
  /// The bytes that are queued because the other side does not read them yet.
  std::size_t unsent_bytes() const { return static_cast<std::size_t>(queued_bytes_ - gone_bytes_); }
  /// So many bytes of it are not known to have reached the other host.
  std::size_t left_bytes() const;
  /// Copies what is queued and was not, for its memory will go; tokens are forgotten.
  void own_all();

  /// Ends it, as where the other side has, if that one's host is cut off.
  void give_up_if_cut_off();
  /// Ends it for this reason, as if the other side had ended it.
  void end(const std::string& why) { fail(why); }
  /// Ends it at once; what is queued is lost.
  void close() noexcept;
  /// Finishes as soon as what is queued has gone. Like `send` it leaves that to the loop, so that nobody
  /// hears of its end from within: whoever sends to many may lose one of them only later.
  void send_last();
  /// Says that nothing more comes, and reads on until the other side ends it.
  void finish();

 private:
  /// What leaves one after the other: bytes of its own, then those of others.
  struct Segment {
    Bytes owned;
    ByteView view = {};
    std::size_t gone = 0;

    std::size_t size() const { return owned.size() + view.size(); }
  };

  /// To be said when so many bytes have gone.
  struct Token {
    std::uint64_t at_bytes, token;
  };

  Segment& owned_tail();
  void queued(std::size_t bytes);
  void fill();
  std::size_t write_some();
  void read_to_the_end();
  void forget_sent(std::size_t bytes);
  void await_writable();
  void note_that_some_came();
  bool take_all(ByteView bytes);
  void fail(const std::string& why);

  Loop& loop_;
  std::string peer_address_;
  Descriptor socket_;
  std::unique_ptr<Wire> wire_;
  std::shared_ptr<const Owner> owner_;
  FrameReader frames_;
  std::deque<Segment> segments_;
  Bytes spare_;  // of a segment that has gone
  std::deque<Token> tokens_;
  std::uint64_t queued_bytes_ = 0, gone_bytes_ = 0;  // in all
  bool is_open_ = true;
  bool is_finished_ = false;  // nothing more is sent
  bool is_last_ = false;      // what is queued is the last
  bool is_broken_ = false;    // nothing can be sent any more
  bool has_to_send_ = false;  // the loop knows
  bool awaits_writable_ = false;
};

}  // namespace loadshare::tcp
