#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/farm/farm.hpp"

namespace loadshare::test {

using Body = std::function<void(Farm&)>;

/// Where a master that was told to listen at port 0 says that it does; calls `found` with it.
inline std::function<void(const std::string&)> note_address(std::function<void(const std::string&)> found) {
  return [found = std::move(found)](const std::string& note) {
    constexpr std::string_view before = "listening at ";
    if (note.starts_with(before)) found(note.substr(before.size()));
  };
}

/// A process, as a thread, of so many workers of the master at this address.
inline std::jthread join_farm(const std::string& address, Index workers, Body body) {
  return std::jthread([=] {
    try {
      Farm farm({.workers = workers, .network = {.join = address}});
      body(farm);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "a member: " << error.what();
    }
  });
}

/// Runs `body` on a master and on members with these workers, each a thread, over loopback. The loop waits
/// for all of them.
inline void as_each_process(FarmOptions options, const std::vector<Index>& workers, const Body& body) {
  std::vector<std::jthread> members;
  options.network.listen = "127.0.0.1:0";
  if (options.master == MasterMode::works && options.workers == 0) options.workers = 1;
  options.network.expect = options.master == MasterMode::works ? options.workers : 0;
  for (const Index count : workers) options.network.expect += count;
  options.network.note = note_address([&](const std::string& address) {
    for (const Index count : workers) members.push_back(join_farm(address, count, body));
  });
  Farm farm(options);
  body(farm);
}

}  // namespace loadshare::test
