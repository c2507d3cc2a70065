#include "runtime/transport/tcp/started_hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <utility>

#include "base/error.hpp"

namespace loadshare::tcp {
namespace {

using testing::ElementsAre;

class HostsToStart : public testing::Test {
 protected:
  ~HostsToStart() override { std::remove(path_.c_str()); }

  std::vector<HostToStart> read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_hosts_to_start(path_);
  }
  /// The error's text behind the file's name.
  std::string refusal_of(const std::string& text) {
    try {
      read(text);
    } catch (const UsageError& error) {
      const std::string what = error.what();
      return what.starts_with(path_) ? what.substr(path_.size()) : what;
    }
    return "none";
  }

  std::string path_ = testing::TempDir() + "hosts_to_start";
};

TEST_F(HostsToStart, StandALineEachWithOrWithoutANumberOfWorkers) {
  const auto hosts = read("# ours\nnode7\n\n  me@node8\tworkers=4 # the large one\r\nnode9 workers=1");
  ASSERT_EQ(hosts.size(), 3U);
  EXPECT_EQ(std::pair(hosts[0].name, hosts[0].workers), std::pair(std::string("node7"), Index{0}));
  EXPECT_EQ(std::pair(hosts[1].name, hosts[1].workers), std::pair(std::string("me@node8"), Index{4}));
  EXPECT_EQ(std::pair(hosts[2].name, hosts[2].workers), std::pair(std::string("node9"), Index{1}));
}

TEST_F(HostsToStart, HaveNoByteOrderMarkInTheirNames) {
  EXPECT_EQ(read("\xEF\xBB\xBFnode7 workers=2\n").front().name, "node7");
}

TEST_F(HostsToStart, AreRefusedAtTheirPlace) {
  for (const auto& [text, refusal] :
       {std::pair{"node7\n node8 worker=4",
                  ":2:8: a host has no setting 'worker' (a line is a host and its number of workers); did "
                  "you mean 'workers'?"},
        {"node7 workers", ":1:7: workers has no number; write it as workers=4"},
        {"node7 workers=0", ":1:7: workers is 0 (at least 1)"},
        {"node7 4",
         ":1:7: a host has no setting '4' (a line is a host and its number of workers); write it as node7 "
         "workers=4"},
        {"-oProxyCommand=x",
         ":1:1: '-oProxyCommand=x' is not a host (a line begins with a host's name); write it as "
         "node7 workers=4"},
        {"workers=4 node7",
         ":1:1: 'workers=4' is not a host (a line begins with a host's name); write it as node7 "
         "workers=4"},
        {"node7 workers=4 node8",
         ":1:17: 'node8' is one word too many (a line is a host and its number of workers); give each host a "
         "line of its own"},
        {"a\nb\na", ":3:1: a is listed twice (first in line 1); write workers=2 for two workers"},
        {"# none\n", " lists no host (a line is a host and its number of workers)"}})
    EXPECT_EQ(refusal_of(text), refusal);
}

TEST(WordsToStart, HaveTheHostWhereItIsAskedForAndTheProgramsAsAShellReadsThem) {
  EXPECT_THAT(
      words_to_start("ssh  -p 22 me@{host}", "node7", {"/opt/my own/it's", "--join", "10.0.0.1:4711", ""}),
      ElementsAre("ssh", "-p", "22", "me@node7", "'/opt/my own/it'\\''s'", "--join", "10.0.0.1:4711", "''"));
  EXPECT_THAT(words_to_start("run {host}/{host}", "a", {}), ElementsAre("run", "a/a"));
  EXPECT_THROW(words_to_start("ssh node7", "node7", {}), UsageError);
}

}  // namespace
}  // namespace loadshare::tcp
