#include "runtime/transport/tcp/page_server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "base/io/descriptor.hpp"
#include "tests/no_text.hpp"

namespace loadshare::tcp {
namespace {

/// The answer of the page at this port of the host; empty: it ended the connection.
std::string visit(const std::string& url) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket.number(), reinterpret_cast<const sockaddr*>(&place), sizeof(place)) != 0)
    return "nobody";
  const std::string request = "GET / HTTP/1.1\r\n\r\n";
  send(socket.number(), request.data(), request.size(), MSG_NOSIGNAL);
  std::string answer;
  std::array<char, 1000> bytes;
  for (ssize_t count = 0; (count = recv(socket.number(), bytes.data(), bytes.size(), 0)) > 0;)
    answer.append(bytes.data(), static_cast<std::size_t>(count));
  return answer;
}

TEST(PageServer, APageThatCannotBeMadeCostsOneVisit) {
  std::atomic<int> visits = 0;
  PageServer server("0", {}, [&]() -> std::string {
    if (++visits == 1) throw 42;
    if (visits == 2) throw test::NoText();
    return "the page";
  });
  EXPECT_EQ(visit(server.url()), "");
  EXPECT_EQ(visit(server.url()), "");
  EXPECT_TRUE(visit(server.url()).ends_with("the page"));
}

}  // namespace
}  // namespace loadshare::tcp
