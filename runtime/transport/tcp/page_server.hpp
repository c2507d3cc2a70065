#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/transport/network.hpp"

namespace loadshare::tcp {

/// Serves one page over HTTP, on a thread of its own, until it is destroyed. Each request asks for the page
/// anew. With a secret, only visitors who name the server's key see the page; the key is random, because it
/// travels in the clear. Without one, only this host can come, and only the process's own user sees the page.
class PageServer final {
 public:
  /// `address`: HOST:PORT, or a port of this host alone; port 0: any. `make_page` is called by the server's
  /// thread. Throws UsageError where it cannot be served there, or others than this host could read it and
  /// `network` has neither a secret nor does without on purpose.
  PageServer(const std::string& address, const NetworkOptions& network,
             std::function<std::string()> make_page);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  /// Where it is, key and all.
  const std::string& url() const { return url_; }
  /// Why others may not find it there; empty: there is no reason.
  const std::string& hint() const { return hint_; }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::string url_, hint_;
};

}  // namespace loadshare::tcp
