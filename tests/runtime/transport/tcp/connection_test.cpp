#include "runtime/transport/tcp/connection.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <asio/write.hpp>
#include <thread>
#include <vector>

namespace loadshare::tcp {
namespace {

/// A connection, and the socket at its other end.
class Connected {
 public:
  explicit Connected(Loop& loop) : peer(loop.io()) {
    asio::ip::tcp::acceptor acceptor(loop.io(), {asio::ip::address_v4::loopback(), 0});
    peer.connect(acceptor.local_endpoint());
    Socket socket = acceptor.accept();
    const int number = socket.native_handle();
    line = std::make_shared<Connection>(loop, std::move(socket), make_plain_wire(number));
    line->start({.take = [this](const Frame& frame) { taken.push_back(frame.kind); },
                 .ended = [this](const std::string&) { has_ended = true; }});
  }

  /// What the other side hears until nothing more comes.
  std::string heard() {
    std::string all;
    std::error_code error;
    std::array<char, 256> room;
    while (const std::size_t count = peer.read_some(asio::buffer(room), error))
      all.append(room.data(), count);
    return all;
  }

  Socket peer;
  std::shared_ptr<Connection> line;
  std::vector<FrameKind> taken;
  bool has_ended = false;
};

TEST(Connection, EndsWhenTheLastHasGone) {
  Loop loop;
  Connected connected(loop);
  connected.line->send(Farewell{});
  connected.line->send_last();
  EXPECT_FALSE(connected.line->is_empty());
  loop.poll();
  EXPECT_TRUE(connected.line->is_empty());
  EXPECT_EQ(connected.heard().size(), frame_header_bytes);
}

TEST(Connection, EndsAlsoWhereTheLastHasGoneBefore) {
  Loop loop;
  Connected connected(loop);
  connected.line->send(Farewell{});
  loop.poll();
  connected.line->send_last();
  loop.poll();
  EXPECT_EQ(connected.heard().size(), frame_header_bytes) << "and then its end";
}

// Who says farewell to all of a list would lose the one that he is at.
TEST(Connection, TellsOfItsEndFromTheLoopAlone) {
  Loop loop;
  Connected connected(loop);
  connected.peer.set_option(asio::socket_base::linger(true, 0));
  connected.peer.close();  // it is reset
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  connected.line->send(Farewell{});
  connected.line->send_last();
  EXPECT_FALSE(connected.has_ended);
  loop.poll();
  EXPECT_TRUE(connected.has_ended);
}

// A send that meets the reset of who has left is seen before what it left behind is read.
TEST(Connection, HearsWhatWasSaidBeforeItWasReset) {
  Loop loop;
  Connected connected(loop);
  Bytes said;
  append_frame_head(said, Farewell::kind, encode(Farewell{}), {});
  constexpr std::size_t count = 1000;
  Bytes all;
  for (std::size_t i = 0; i < count; ++i) all.insert(all.end(), said.begin(), said.end());
  asio::write(connected.peer, asio::buffer(all));
  connected.peer.set_option(asio::socket_base::linger(true, 0));
  connected.peer.close();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  connected.line->send(Farewell{});
  loop.send();
  EXPECT_FALSE(connected.has_ended);
  for (int i = 0; i < 100 && !connected.has_ended; ++i) loop.poll();
  EXPECT_TRUE(connected.has_ended);
  EXPECT_EQ(connected.taken, std::vector<FrameKind>(count, FrameKind::farewell));
}

TEST(Connection, TellsAHostThatIsCutOffFromOneWithoutRoom) {
  EXPECT_TRUE(is_cut_off({.quiet_s = 17, .asks_again_s = 12.8, .unanswered = 1}));
  EXPECT_TRUE(is_cut_off({.quiet_s = 17, .asks_again_s = 0.2, .probes = 2})) << "it had no room before";
  EXPECT_FALSE(is_cut_off({.quiet_s = 14, .asks_again_s = 6.4, .unanswered = 1}));
  EXPECT_FALSE(is_cut_off({.quiet_s = 3600})) << "nothing was to be answered";
  EXPECT_FALSE(is_cut_off({.quiet_s = 120, .asks_again_s = 0.2})) << "it has no room, and said so";
  EXPECT_FALSE(is_cut_off({.quiet_s = 120, .asks_again_s = 0.2, .probes = 1})) << "it was asked just now";
  EXPECT_FALSE(is_cut_off({.quiet_s = 25.6, .asks_again_s = 25.6, .unanswered = 1}))
      << "ditto, with a segment";
}

/// Whether the loop looks before it goes to sleep, where whoever rings has to wake it.
bool looks_first(Loop& loop) {
  Doorbell bell{};
  bool was_awake = false;
  loop.wait(
      bell, [&] { return was_awake = bell.consumer() == Alertness::awake, true; }, 1);
  return was_awake;
}

TEST(Loop, LooksBeforeItSleepsWhereItWaitedForLittleLast) {
  Loop loop;
  Connected connected(loop);
  EXPECT_FALSE(looks_first(loop));
  loop.wait(5e-3);
  EXPECT_FALSE(looks_first(loop)) << "nothing came in that time";
  const auto comes_at_once = [&] {
    asio::write(connected.peer, asio::buffer("L", 1));
    loop.wait(1);
    return looks_first(loop);
  };
  bool has_looked = false;  // by itself it comes late at times, where others use the processors
  for (int i = 0; i < 20 && !has_looked; ++i) has_looked = comes_at_once();
  EXPECT_TRUE(has_looked);
}

}  // namespace
}  // namespace loadshare::tcp
