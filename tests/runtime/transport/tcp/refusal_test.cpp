#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/tcp/master_line.hpp"
#include "runtime/transport/tcp/tls.hpp"
#include "tests/runtime/transport/tcp/tcp_ranks.hpp"

// Who cannot take part in a farm hears why: at a master that computes, and from one that is another's.

namespace loadshare::test {
namespace {

using tcp::Hello;

constexpr double most_s = 10;

/// What the master at this address answers to who introduces himself so; nothing: it takes him, or is silent.
std::optional<tcp::Refusal> answer_to(const Hello& who, const std::string& address) {
  const NetworkOptions network{.join = address};
  tcp::Loop loop;
  const tcp::Dialled dialled = tcp::dial(loop, network, most_s);
  std::optional<tcp::Refusal> refusal;
  bool has_ended = false;
  dialled.line->start({.take =
                           [&](const tcp::Frame& frame) {
                             if (frame.kind == tcp::FrameKind::refusal)
                               refusal = tcp::decode<tcp::Refusal>(frame);
                             has_ended = true;
                           },
                       .ended = [&](const std::string&) { has_ended = true; }});
  dialled.line->send(who);
  for (const double end_s = monotonic_s() + most_s; !has_ended && monotonic_s() < end_s;) loop.wait(0.1);
  dialled.line->close();
  return refusal;
}

/// The same, of a farm whose loop goes on meanwhile and comes to a good end.
std::optional<tcp::Refusal> answer_of_farm(const Hello& who) {
  std::optional<tcp::Refusal> answer;
  std::atomic<bool> is_answered = false;
  std::jthread stranger;
  FarmOptions options{.scheduler = "send:1", .workers = 1, .network = {.listen = "127.0.0.1:0"}};
  options.network.note = note_address([&](const std::string& address) {
    stranger = std::jthread([&, address] {
      answer = answer_to(who, address);
      is_answered = true;
    });
  });
  Farm farm(options);
  const auto twice = farm.map<Index>(100, [&](Index i) {
    for (int round = 0; round < 10 && !is_answered; ++round)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return 2 * i;
  });
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(twice[static_cast<std::size_t>(i)], 2 * i);
  stranger.join();
  return answer;
}

Hello other_than_own(const std::function<void(Hello&)>& change) {
  Hello other = tcp::own_hello(1);
  change(other);
  return other;
}

std::string own_text() {
  const Hello own = tcp::own_hello(1);
  return own.program + " " + own.version;
}

TEST(FarmRefuses, AnotherVersionAndNamesBoth) {
  const auto refusal = answer_of_farm(other_than_own([](Hello& who) { who.version = "9.9.9"; }));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->problem, tcp::own_hello(1).program + " 9.9.9 cannot join");
  EXPECT_EQ(refusal->why, "the master is " + own_text());
}

TEST(FarmRefuses, AnotherProgramAndNamesBoth) {
  const auto refusal = answer_of_farm(other_than_own([](Hello& who) { who.program = "sheep"; }));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->problem, "sheep " + tcp::own_hello(1).version + " cannot join");
  EXPECT_EQ(refusal->why, "the master is " + own_text());
}

TEST(FarmRefuses, AnotherBuildOfItsProgramAndNamesBoth) {
  const auto refusal = answer_of_farm(other_than_own([](Hello& who) { ++who.build; }));
  ASSERT_TRUE(refusal);
  EXPECT_THAT(refusal->problem, testing::StartsWith(own_text() + ", build "));
  EXPECT_THAT(refusal->why, testing::StartsWith("the master is " + own_text() + ", build "));
}

TEST(FarmRefuses, HostsOfAnotherProcessorOrByteOrderAndNamesBoth) {
  const std::string own = tcp::own_hello(1).processor;
  for (const std::string& other : {std::string("s390x, big endian"), own + ", big endian"}) {
    const auto refusal = answer_of_farm(other_than_own([&](Hello& who) { who.processor = other; }));
    ASSERT_TRUE(refusal) << other;
    EXPECT_EQ(refusal->problem, "a host with " + other + " cannot join");
    EXPECT_EQ(refusal->why, "the master is on " + own);
  }
}

TEST(FarmThatJoins, IsToldThatItsLoopIsAnother) {
  std::string error;
  std::atomic<bool> is_told = false;
  std::jthread member;
  FarmOptions options{.scheduler = "send:1", .workers = 1, .network = {.listen = "127.0.0.1:0"}};
  options.network.note = note_address([&](const std::string& address) {
    member = std::jthread([&, address] {
      try {
        Farm farm({.workers = 1, .network = {.join = address}});
        farm.map<Index>(100, [](Index i) { return 3 * i; });
      } catch (const std::exception& thrown) {
        error = thrown.what();
      }
      is_told = true;
    });
  });
  Farm farm(options);
  farm.map<Index>(100, [&](Index i) {
    for (int round = 0; round < 10 && !is_told; ++round)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return 2 * i;
  });
  member.join();
  EXPECT_THAT(error, testing::HasSubstr("runs another loop (its body differs from the master's)"));
}

/// A farm that joins a master which is `own`, and the error that its user reads.
std::string error_of_joining(const Hello& own) {
  const tcp::Address address{"127.0.0.1", "0"};
  tcp::Loop loop;
  const tcp::Endpoints endpoints = resolve(loop.io(), "--listen", address);
  tcp::Admission admission(
      loop, address, endpoints, own, make_wiring(tcp::Side::master, {}, address, endpoints),
      [](const Hello&, const std::shared_ptr<tcp::Connection>& line) { line->close(); },
      [](const tcp::Inquiry&, tcp::Connection&) {});
  std::jthread master([&loop](const std::stop_token& stop) {
    while (!stop.stop_requested()) loop.wait(0.01);
  });
  try {
    Farm farm({.workers = 1, .network = {.join = admission.address()}});
    return "it was taken";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(FarmThatJoins, TellsItsUserWhoIsAtTheOtherEnd) {
  const std::string own = own_text();
  EXPECT_THAT(error_of_joining(other_than_own([](Hello& master) { master.version = "9.9.9"; })),
              testing::AllOf(testing::HasSubstr(own + " cannot join"), testing::HasSubstr(" 9.9.9"),
                             testing::HasSubstr("start the same program on both sides")));
  EXPECT_THAT(error_of_joining(other_than_own([](Hello& master) { master.program = "sheep"; })),
              testing::AllOf(testing::HasSubstr(own + " cannot join"), testing::HasSubstr("sheep ")));
  EXPECT_THAT(error_of_joining(other_than_own([](Hello& master) { master.processor = "s390x, big endian"; })),
              testing::HasSubstr("on s390x, big endian"));
}

}  // namespace
}  // namespace loadshare::test
