#include "runtime/transport/tcp/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "runtime/transport/tcp/peer_user.hpp"
#include "runtime/transport/tcp/tls.hpp"
#include "tests/runtime/transport/tcp/other_user.hpp"

namespace loadshare::tcp {
namespace {

TEST(Address, IsReadAsPeopleWriteIt) {
  for (const auto& [text, host, port] :
       {std::tuple{"node1:80", "node1", "80"}, {"[::1]:4711", "::1", "4711"}}) {
    const Address address = Address::parse("--join", text);
    EXPECT_EQ(address.host, host);
    EXPECT_EQ(address.port, port);
    EXPECT_EQ(address.text(), text);
  }
  for (const char* text : {"", "node1", ":80", "node1:", "node1:65536", "node1:-1", "node1:8o", "::1:80"})
    EXPECT_THROW(Address::parse("--join", text), UsageError) << text;
}

TEST(Refusal, NamesBothSides) {
  const Hello own{"matmul", "1.2.0", "x86_64", "a", 1};
  EXPECT_FALSE(refusal_of(own, own));
  Hello other = own;
  other.program = "matvec";
  EXPECT_EQ(refusal_of(own, other)->problem, "matvec 1.2.0 cannot join");
  EXPECT_EQ(refusal_of(own, other)->why, "the master is matmul 1.2.0");
  other = own;
  other.version = "1.3.0";
  EXPECT_EQ(refusal_of(own, other)->problem, "matmul 1.3.0 cannot join");
  other = own;
  other.processor = "s390x, big endian";
  EXPECT_EQ(refusal_of(own, other)->problem, "a host with s390x, big endian cannot join");
  EXPECT_EQ(refusal_of(own, other)->why, "the master is on x86_64");
  other = own;
  other.build = 0xabc;
  EXPECT_FALSE(refusal_of(own, other)) << "this one's could not be read";
  Hello built = own;
  built.build = 0xdef;
  EXPECT_EQ(refusal_of(built, other)->problem, "matmul 1.2.0, build 0000000000000abc cannot join");
  EXPECT_EQ(refusal_of(built, other)->why, "the master is matmul 1.2.0, build 0000000000000def");
  for (const std::uint32_t workers : {0u, Admission::most_workers_of_process + 1}) {
    other = own;
    other.workers = workers;
    EXPECT_TRUE(refusal_of(own, other)) << workers;
  }
}

// Every byte counts, and so does how many there are.
TEST(Secret, IsWhatItsBytesAre) {
  const std::string bytes = "0123456789abcdef";
  EXPECT_EQ(Secret(bytes).key(), Secret(bytes).key());
  for (const std::string& other :
       {bytes + std::string(1, char{0}), bytes + "0", std::string("0123456789abcdeg")})
    EXPECT_NE(Secret(bytes).key(), Secret(other).key());
}

TEST(Wiring, WantsASecretWhereOthersMayCome) {
  asio::io_context io;
  const auto wiring_for = [&io](const char* text, bool without_secret) {
    const Address address = Address::parse("--listen", text);
    make_wiring(Side::master, {.without_secret = without_secret}, address, resolve(io, "--listen", address));
  };
  EXPECT_NO_THROW(wiring_for("127.0.0.1:0", false));
  EXPECT_NO_THROW(wiring_for("[::1]:0", false));
  EXPECT_THROW(wiring_for("0.0.0.0:0", false), UsageError);
  EXPECT_THROW(wiring_for("[::]:0", false), UsageError);
  EXPECT_NO_THROW(wiring_for("0.0.0.0:0", true));
}

TEST(Secret, HasEveryByteOfItsFile) {
  const std::string path = testing::TempDir() + "secret_" + std::to_string(getpid());
  const std::string bytes = "\xEF\xBB\xBF" + std::string("0123456789abcdef\r\n");
  std::ofstream(path, std::ios::binary) << bytes;
  ASSERT_EQ(chmod(path.c_str(), S_IRUSR), 0);
  EXPECT_EQ(Secret::bytes_of(path), bytes);
  ASSERT_EQ(chmod(path.c_str(), S_IRUSR | S_IRGRP), 0);
  EXPECT_THROW(Secret::bytes_of(path), UsageError);
  std::remove(path.c_str());
}

/// An admission, and those who come to it.
class Door {
 public:
  explicit Door(Admission::Wiring wiring = make_plain_wire)
      : admission_(
            loop_, address_, ends_, own_hello(1), std::move(wiring),
            [this](const Hello&, std::shared_ptr<Connection> line) {
              line->start({.take = [](const Frame&) {}, .ended = [](const std::string&) {}});
              admitted.push_back(std::move(line));
            },
            [](const Inquiry&, Connection&) {}, [this](const std::string& note) { notes.push_back(note); }) {}

  std::shared_ptr<Connection> connect() {
    const Address address = Address::parse("--join", admission_.address());
    Socket socket(outside_.io());
    socket.connect(resolve(outside_.io(), "--join", address).front());
    const int number = socket.native_handle();
    const auto line = std::make_shared<Connection>(outside_, std::move(socket), make_plain_wire(number));
    line->start({.take =
                     [this](const Frame& frame) {
                       if (frame.kind == FrameKind::refusal)
                         refusals.push_back(decode<Refusal>(frame).problem);
                     },
                 .ended = [this](const std::string&) { ++put_out; }});
    return line;
  }
  void turn(int times = 1) {
    for (; times > 0; --times) outside_.poll(), loop_.wait(0.03), outside_.poll();
  }
  void send_outside() { outside_.send(); }

  std::vector<std::shared_ptr<Connection>> admitted;
  std::size_t put_out = 0;
  std::vector<std::string> notes, refusals;

 private:
  Loop loop_, outside_;
  Address address_{"127.0.0.1", "0"};
  Endpoints ends_ = resolve(loop_.io(), "--listen", address_);
  Admission admission_;
};

TEST(Admission, TakesAllWhoComeAtOnceHoweverManyTheyAre) {
  constexpr std::size_t count = 3 * Admission::most_unknown;
  Door door;
  std::vector<std::shared_ptr<Connection>> lines;
  for (std::size_t i = 0; i < count; ++i) {
    lines.push_back(door.connect());
    lines.back()->send(own_hello(1));
  }
  door.send_outside();
  for (int i = 0; i < 100 && door.admitted.size() < count; ++i) door.turn();
  EXPECT_EQ(door.admitted.size(), count);
  EXPECT_EQ(door.put_out, 0u);
}

TEST(Admission, PutsOutTheSlowOfACrowdFromOneAddress) {
  constexpr std::size_t count = 40;
  Door door;
  std::vector<std::shared_ptr<Connection>> silent;
  for (std::size_t i = 0; i < count; ++i) silent.push_back(door.connect());
  for (int i = 0; i < 60 && door.put_out < count - Admission::most_unknown_of_address; ++i) door.turn();
  EXPECT_EQ(door.put_out, count - Admission::most_unknown_of_address);
  const auto line = door.connect();
  line->send(own_hello(1));
  door.turn(3);
  EXPECT_EQ(door.admitted.size(), 1u);
  ASSERT_EQ(door.notes.size(), 1u);
  EXPECT_EQ(door.notes[0],
            "24 connections from 127.0.0.1 were ended: more than 16 had not introduced themselves");
}

TEST(Admission, CountsNobodysSilenceWhileItWasAwayItself) {
  Door door;
  const auto line = door.connect();
  door.turn(3);
  std::this_thread::sleep_for(std::chrono::milliseconds(1000 * Admission::most_unknown_s + 500));
  door.turn(3);
  line->send(own_hello(1));
  door.turn(3);
  EXPECT_EQ(door.admitted.size(), 1u);
  EXPECT_EQ(door.put_out, 0u);
}

Door door_for_own_user() {
  return Door([](int socket) { return make_own_user_wire(Side::master, socket); });
}

TEST(Admission, TakesItsOwnUserWithoutASecret) {
  Door door = door_for_own_user();
  const auto line = door.connect();
  line->send(own_hello(1));
  door.turn(3);
  EXPECT_EQ(door.admitted.size(), 1u);
  EXPECT_THAT(door.notes, testing::IsEmpty());
}

TEST(Admission, RefusesAnotherUserAndSaysSo) {
  if (!OtherUser::can_be()) GTEST_SKIP() << "to be another user takes root";
  Door door = door_for_own_user();
  const auto connect = [&door] {
    const OtherUser other;
    return door.connect();
  };
  const auto joins = connect(), asks = connect();
  joins->send(own_hello(1));
  asks->send(Inquiry{});
  door.turn(5);
  EXPECT_EQ(door.admitted.size(), 0u);
  const std::string problem = "a process of user 65534 cannot join a master of user 0";
  EXPECT_THAT(door.refusals, testing::ElementsAre(problem, problem));
  EXPECT_THAT(door.notes,
              testing::ElementsAre(testing::HasSubstr("127.0.0.1:"), testing::HasSubstr(problem)));
}

// A socket that nobody holds any more is shown as root's.
TEST(Admission, RefusesWhoHasAlreadyGone) {
  Door door = door_for_own_user();
  auto line = door.connect();
  line->send(Inquiry{});
  door.send_outside();
  line->close();
  door.turn(5);
  ASSERT_EQ(door.notes.size(), 1u);
  EXPECT_THAT(door.notes[0], testing::HasSubstr("a process of an unknown user cannot join"));
}

// Many of them leave room for notes on others.
TEST(Admission, NotesStrangersAtABoundedRate) {
  Door door;

  for (int i = 0; i < 30; ++i) {
    const auto line = door.connect();
    line->send(Alive{});  // no introduction
    door.turn(2);
  }
  Hello other = own_hello(1);
  other.program = "sheep";
  const auto late = door.connect();
  late->send(other);
  door.turn(3);
  ASSERT_EQ(door.notes.size(), 21u);
  EXPECT_THAT(door.notes[0], testing::MatchesRegex(
                                 R"(127\.0\.0\.1:[0-9]+ was refused: its first message is no introduction)"));
  EXPECT_THAT(door.notes[20], testing::HasSubstr("sheep"));
}

TEST(OwnHostNote, IsOfNamesAndNumbersThatDoNotShowIt) {
  const auto note_of = [](const char* host, const char* number) {
    return own_host_note({host, "4711"}, {{asio::ip::make_address(number), 4711}});
  };
  EXPECT_EQ(note_of("node1", "127.0.1.1"),
            "node1 is 127.0.1.1 here, an address that only this host can reach");
  EXPECT_EQ(note_of("127.0.1.1", "127.0.1.1"), "127.0.1.1 is an address that only this host can reach");
  EXPECT_EQ(note_of("node1", "192.168.1.5"), "");
  EXPECT_EQ(note_of("localhost", "127.0.0.1"), "");
  EXPECT_EQ(note_of("127.0.0.1", "127.0.0.1"), "");
  EXPECT_EQ(note_of("::1", "::1"), "");
}

}  // namespace
}  // namespace loadshare::tcp
