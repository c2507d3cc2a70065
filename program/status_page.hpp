#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/farm/loop_status.hpp"
#include "runtime/transport/network.hpp"

namespace loadshare {

namespace tcp {
class PageServer;
}

/// Content of the page.
struct PageContent {
  std::string app;
  LoopStatus loop;
  std::optional<double> rest_s = std::nullopt;  ///< forecast; empty: none yet
};

/// Returns a page without scripts, which browsers reload every second.
std::string status_page(const PageContent& content);

/// A page that shows a running farm in a browser.
class StatusPage final {
 public:
  /// Throws UsageError if the server cannot listen on `address`, as tcp::PageServer does.
  StatusPage(const std::string& address, const NetworkOptions& network);
  ~StatusPage();

  std::string url() const;
  std::string hint() const;  ///< why other machines may not reach it; empty: no reason
  void show(PageContent content);

 private:
  std::mutex mutex_;
  PageContent content_;
  std::unique_ptr<tcp::PageServer> server_;
};

}  // namespace loadshare
