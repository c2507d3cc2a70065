#include "runtime/transport/tcp/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "base/error.hpp"

#include "runtime/transport/tcp/tls.hpp"

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
  for (const std::uint32_t workers : {0u, 4097u}) {
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

}  // namespace
}  // namespace loadshare::tcp
