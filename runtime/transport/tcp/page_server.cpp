#include "runtime/transport/tcp/page_server.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <asio/buffer.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "runtime/host/threads.hpp"
#include "runtime/transport/tcp/address.hpp"
#include "runtime/transport/tcp/listener.hpp"
#include "runtime/transport/tcp/tls.hpp"

namespace loadshare::tcp {
namespace {

constexpr std::size_t most_request_bytes = 8192;
constexpr std::chrono::seconds most_time{5};  // of a visit
constexpr std::size_t most_visits = 64;       // at once

std::string hex(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes)
    for (const unsigned digit : {byte / 16u, byte % 16u}) text += "0123456789abcdef"[digit];
  return text;
}

/// The same for every run with the secret, so that a page stays where it is when a run is resumed.
std::string key_of(const Secret& secret) {
  std::string hashed = "loadshare status 1:";
  hashed.append(secret.key().begin(), secret.key().end());
  std::array<unsigned char, 32> hash{};
  EVP_Digest(hashed.data(), hashed.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  return hex(std::span(hash).first(16));
}

std::string answer_with(const std::string& status, const std::string& content) {
  return "HTTP/1.1 " + status +
         "\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " + std::to_string(content.size()) +
         "\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff"
         "\r\nContent-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\nConnection: "
         "close\r\n\r\n" +
         content;
}

/// HOST:PORT of a person, who may leave out the host: this one.
Address own_address(const std::string& text) {
  return Address::parse("--status", text.find(':') == std::string::npos ? "127.0.0.1:" + text : text);
}

std::string key_for(const NetworkOptions& network, const Address& address, const Endpoints& endpoints) {
  if (!network.secret_file.empty()) return key_of(Secret::read(network.secret_file));
  if (!is_loopback(endpoints) && !network.without_secret)
    throw UsageError("--status " + address.text() + " is not of this host alone, and there is no secret",
                     "anybody in the network could see the run",
                     "give --secret-file FILE, or --without-secret, or a port alone: --status 4712");
  return {};
}

}  // namespace

class PageServer::Impl final {
 public:
  Impl(const Address& address, const Endpoints& endpoints, std::string key,
       std::function<std::string()> make_page)
      : make_page_(std::move(make_page)),
        listener_(
            io_, "serve --status", address, endpoints, [] { return true; },
            [this](Listener::Socket socket) { receive(std::make_shared<Visit>(std::move(socket))); }) {
    target_ = key.empty() ? "/" : "/?key=" + key;
    listener_.accept();
    thread_.start("for --status", [this] { serve(); });
  }
  ~Impl() {
    io_.stop();
    thread_.wait();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string port() const { return std::to_string(listener_.end().port()); }
  const std::string& target() const { return target_; }

 private:
  /// One request and its answer.
  struct Visit {
    explicit Visit(Listener::Socket from) : socket(std::move(from)) {}
    void close() {
      std::error_code ignored;
      socket.close(ignored);
    }

    Listener::Socket socket;
    asio::steady_timer patience{socket.get_executor()};
    std::string request, answer;
  };

  /// An exception costs one visit: a run is worth more than its page.
  void serve() {
    while (!io_.stopped()) try {
        io_.run();
      } catch (...) {
        listener_.accept();
      }
  }

  /// Those who only hold a connection are not to keep the page from others: the eldest goes.
  void make_room() {
    std::erase_if(visits_, [](const auto& visit) { return visit.expired(); });
    if (visits_.size() < most_visits) return;
    if (const auto eldest = visits_.front().lock()) eldest->close();
    visits_.pop_front();
  }

  void receive(const std::shared_ptr<Visit>& visit) {
    make_room();
    visits_.push_back(visit);
    visit->patience.expires_after(most_time);
    visit->patience.async_wait([visit](const std::error_code& ended) {
      if (!ended) visit->close();
    });
    asio::async_read_until(visit->socket, asio::dynamic_buffer(visit->request, most_request_bytes),
                           "\r\n\r\n", [this, visit](const std::error_code& error, std::size_t) {
                             if (!error) return send(visit);
                             visit->patience.cancel();
                           });
  }

  void send(const std::shared_ptr<Visit>& visit) {
    try {
      visit->answer = answer_to(visit->request.substr(0, visit->request.find("\r\n")));
    } catch (...) {  // without memory for a page the run goes on
      return visit->close();
    }
    asio::async_write(visit->socket, asio::buffer(visit->answer),
                      [visit](const std::error_code&, std::size_t) {
                        std::error_code ignored;
                        visit->socket.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
                        visit->patience.cancel();
                      });
  }

  std::string answer_to(const std::string& line) const {
    const std::size_t begin = line.find(' ') + 1, end = line.find(' ', begin);
    if (begin == 0 || end == std::string::npos) return answer_with("400 Bad Request", "not HTTP\n");
    if (line.substr(0, begin) != "GET ") return answer_with("405 Method Not Allowed", "GET alone\n");
    const std::string asked = line.substr(begin, end - begin);
    if (is_target(asked)) return answer_with("200 OK", make_page_());
    const bool is_page = asked == "/" || asked.starts_with("/?");
    return is_page ? answer_with("403 Forbidden", "the address with its key is what the master says\n")
                   : answer_with("404 Not Found", "there is one page: /\n");
  }

  /// In a time that tells nothing of the key.
  bool is_target(const std::string& asked) const {
    return asked.size() == target_.size() && CRYPTO_memcmp(asked.data(), target_.data(), asked.size()) == 0;
  }

  std::function<std::string()> make_page_;
  std::string target_;
  asio::io_context io_;
  std::deque<std::weak_ptr<Visit>> visits_;
  Listener listener_;
  CheckedThread thread_;  // last: it uses the others
};

PageServer::PageServer(const std::string& address, const NetworkOptions& network,
                       std::function<std::string()> make_page) {
  Address place = own_address(address);
  asio::io_context io;
  const Endpoints endpoints = resolve(io, "--status", place);
  const std::string key = key_for(network, place, endpoints);
  impl_ = std::make_unique<Impl>(place, endpoints, key, std::move(make_page));
  place.port = impl_->port();
  url_ = "http://" + place.for_others().text() + impl_->target();
}

PageServer::~PageServer() = default;

}  // namespace loadshare::tcp
