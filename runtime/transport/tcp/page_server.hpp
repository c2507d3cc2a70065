#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/transport/network.hpp"

namespace loadshare::tcp {

/// Serves one page over HTTP, on a thread of its own, until it is destroyed. Each request asks for the page
/// anew. Where there is a secret, only who names the key that follows from it sees the page: the secret
/// itself cannot be found from the key, which travels in the clear.
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

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::string url_;
};

}  // namespace loadshare::tcp
