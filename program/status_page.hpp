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

/// What the page shows.
struct PageContent {
  std::string app;
  LoopStatus loop;
  std::optional<double> rest_s = std::nullopt;  ///< forecast; nothing: not yet
};

/// A page without a script, which browsers load again each second.
std::string status_page(const PageContent& content);

/// A farm to look at in a browser while it runs.
class StatusPage final {
 public:
  /// Throws UsageError where `address` cannot be had, as tcp::PageServer does.
  StatusPage(const std::string& address, const NetworkOptions& network);
  ~StatusPage();

  std::string url() const;
  std::string hint() const;  ///< why others may not find it there; empty: there is no reason
  void show(PageContent content);

 private:
  std::mutex mutex_;
  PageContent content_;
  std::unique_ptr<tcp::PageServer> server_;
};

}  // namespace loadshare
