#include "runtime/transport/tcp/peer_user.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bit>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "base/io/descriptor.hpp"
#include "tests/french_numbers.hpp"
#include "tests/runtime/transport/tcp/other_user.hpp"

namespace loadshare::tcp {
namespace {

constexpr const char* table =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:1267 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 640 1 "
    "000000005297a0a3 100 0 0 10 0\n"
    "   1: 0100007F:C350 0100007F:1267 01 00000000:00000000 00:00000000 00000000  1001        0 1541206 1 "
    "00000000aa 20 4 30 10 -1\n"
    "   2: 0100007F:C351 0100007F:1267 06 00000000:00000000 03:0000176B 00000000     0        0 0 3 "
    "000000003104bccf\n"
    "   3: 0100007F:C352 0100007F:1267 01 00000000:00000000 00:00000000\n";

constexpr const char* table_of_six =
    "  sl  local_address                         remote_address                        st tx_queue\n"
    "   0: 0000000000000000FFFF00000100007F:C350 0000000000000000FFFF00000100007F:1267 01 "
    "00000000:00000000 00:00000000 00000000  1002        0 1541207 1 00000000aa\n"
    "   1: 00000000000000000000000001000000:C351 00000000000000000000000001000000:1267 01 "
    "00000000:00000000 00:00000000 00000000  1003        0 1541208 1 00000000ab\n";

TcpEnd end(const char* address, int port) {
  TcpEnd made;
  EXPECT_EQ(inet_pton(AF_INET6, address, &made.address), 1);
  made.port = htons(static_cast<in_port_t>(port));
  return made;
}

PeerEnds four(int own, int other) {
  return {end("::ffff:127.0.0.1", own), end("::ffff:127.0.0.1", other)};
}

class UserInTable : public testing::Test {
 protected:
  void SetUp() override {
    if (std::endian::native != std::endian::little) GTEST_SKIP() << "the rows are of such a processor";
  }
};

TEST_F(UserInTable, IsTheOneWhoseRowHasBothEnds) {
  EXPECT_EQ(user_in_table(table, AF_INET, four(0xc350, 0x1267)), 1001U);
  EXPECT_EQ(user_in_table(table_of_six, AF_INET6, four(0xc350, 0x1267)), 1002U) << "IPv4 by a socket of IPv6";
  EXPECT_EQ(user_in_table(table_of_six, AF_INET6, {end("::1", 0xc351), end("::1", 0x1267)}), 1003U);
}

TEST_F(UserInTable, IsReadInAnyLocale) {
  const test::FrenchNumbers french;
  EXPECT_EQ(user_in_table(table, AF_INET, four(0xc350, 0x1267)), 1001U);
}

TEST_F(UserInTable, IsUnknownWithoutARowThatAProcessHolds) {
  EXPECT_EQ(user_in_table(table, AF_INET, four(0x1267, 0xc350)), std::nullopt) << "that is the other end";
  EXPECT_EQ(user_in_table(table, AF_INET, four(0xc350, 0x1268)), std::nullopt);
  EXPECT_EQ(user_in_table(table, AF_INET, four(0xc351, 0x1267)), std::nullopt)
      << "closed, and shown as root's";
  EXPECT_EQ(user_in_table(table, AF_INET, four(0xc352, 0x1267)), std::nullopt)
      << "a row that is not complete";
  EXPECT_EQ(user_in_table(table, AF_INET, {end("::1", 0xc350), end("::1", 0x1267)}), std::nullopt);
  EXPECT_EQ(user_in_table("", AF_INET, four(0xc350, 0x1267)), std::nullopt);
}

Descriptor made(int family) {
  return Descriptor(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

/// A socket that listens at an address of loopback, and one that has connected to it.
class Pair {
 public:
  Pair(int family, const char* address) : listener_(made(family)), near(made(family)) {
    sockaddr_in6 six{};
    sockaddr_in four{};
    if (family == AF_INET6) {
      six.sin6_family = AF_INET6;
      inet_pton(AF_INET6, address, &six.sin6_addr);
      connect(six);
    } else {
      four.sin_family = AF_INET;
      inet_pton(AF_INET, address, &four.sin_addr);
      connect(four);
    }
  }
  void accept() { far = Descriptor(::accept(listener_.number(), nullptr, nullptr)); }

  bool is_connected = false;

 private:
  template <class Place>
  void connect(Place place) {
    auto* generic = reinterpret_cast<sockaddr*>(&place);
    socklen_t bytes = sizeof(place);
    if (bind(listener_.number(), generic, bytes) != 0 || listen(listener_.number(), 1) != 0) return;
    getsockname(listener_.number(), generic, &bytes);
    is_connected = ::connect(near.number(), generic, bytes) == 0;
  }

  Descriptor listener_;

 public:
  Descriptor near, far;
};

TEST(UserOfPeer, IsThisOneAtBothEndsOfAConnectionOfItsOwn) {
  for (const auto& [family, address] : {std::pair{AF_INET, "127.0.0.1"},
                                        {AF_INET, "127.0.1.1"},
                                        {AF_INET6, "::1"},
                                        {AF_INET6, "::ffff:127.0.0.1"}}) {
    Pair pair(family, address);
    if (!pair.is_connected && family == AF_INET6) continue;  // a system without IPv6
    ASSERT_TRUE(pair.is_connected) << address;
    pair.accept();
    EXPECT_TRUE(has_own_user_at_peer(pair.near.number())) << address;
    EXPECT_TRUE(has_own_user_at_peer(pair.far.number())) << address;
  }
}

TEST(UserOfPeer, IsUnknownBeforeTheConnectionIsAcceptedAndAfterItIsClosed) {
  Pair pair(AF_INET, "127.0.0.1");
  EXPECT_EQ(user_of_peer(pair.near.number()), std::nullopt) << "the system shows root";
  pair.accept();
  EXPECT_EQ(user_of_peer(pair.near.number()), geteuid());
  pair.near.close();
  EXPECT_EQ(user_of_peer(pair.far.number()), std::nullopt) << "the system shows root";
  EXPECT_EQ(user_of_peer(-1), std::nullopt);
}

TEST(UserOfPeer, IsInTheSystemsTableToo) {
  Pair pair(AF_INET, "127.0.0.1");
  pair.accept();
  sockaddr_in near{}, far{};
  socklen_t bytes = sizeof(near);
  getsockname(pair.near.number(), reinterpret_cast<sockaddr*>(&near), &bytes);
  getpeername(pair.near.number(), reinterpret_cast<sockaddr*>(&far), &bytes);
  std::ifstream file("/proc/thread-self/net/tcp");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(user_in_table(text, AF_INET, four(ntohs(near.sin_port), ntohs(far.sin_port))), geteuid());
}

TEST(UserOfPeer, IsAnother) {
  if (!OtherUser::can_be()) GTEST_SKIP() << "to be another user takes root";
  auto others = [] {
    const OtherUser other;
    Pair made(AF_INET, "127.0.0.1");
    made.accept();
    return made;
  }();
  EXPECT_EQ(user_of_peer(others.near.number()), OtherUser::number);
  EXPECT_EQ(user_of_peer(others.far.number()), OtherUser::number);
  EXPECT_FALSE(has_own_user_at_peer(others.far.number()));
}

}  // namespace
}  // namespace loadshare::tcp
