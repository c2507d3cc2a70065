#include "base/io/terminal.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/io/descriptor.hpp"

namespace loadshare {
namespace {

/// A terminal of this many columns, and the variable COLUMNS.
class TerminalWidth : public testing::Test {
 protected:
  ~TerminalWidth() override { unsetenv("COLUMNS"); }

  int terminal(unsigned short columns) {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = columns;
    int own = -1, other = -1;
    EXPECT_EQ(openpty(&own, &other, nullptr, nullptr, &size), 0);
    own_ = Descriptor(own);
    other_ = Descriptor(other);
    return other;
  }
  int pipe_end() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe(ends), 0);
    own_ = Descriptor(ends[0]);
    other_ = Descriptor(ends[1]);
    return ends[1];
  }

 private:
  Descriptor own_, other_;
};

TEST_F(TerminalWidth, IsTheTerminals) {
  unsetenv("COLUMNS");
  EXPECT_EQ(text_columns(terminal(60)), 60);
  EXPECT_EQ(text_columns(terminal(60), 100), 60);
  EXPECT_EQ(text_columns(terminal(200), 100), 100);
  EXPECT_EQ(terminal_size(terminal(60)).columns, 60);
}

TEST_F(TerminalWidth, IsThatOfTheVariableIfThatIsANumber) {
  setenv("COLUMNS", "70", 1);
  EXPECT_EQ(text_columns(terminal(60)), 70);
  EXPECT_EQ(text_columns(pipe_end()), 70);
  EXPECT_EQ(terminal_size(terminal(60)).columns, 60);  // where the cursor can be
  for (const char* other : {"", "0", "-3", "x", "70x", "99999999999999"}) {
    setenv("COLUMNS", other, 1);
    EXPECT_EQ(text_columns(terminal(60)), 60) << other;
  }
}

TEST_F(TerminalWidth, IsNotKnownOfAPipeOrOfATerminalWithoutASize) {
  unsetenv("COLUMNS");
  EXPECT_EQ(text_columns(pipe_end()), std::nullopt);
  EXPECT_EQ(text_columns(terminal(0)), std::nullopt);
  EXPECT_EQ(text_columns(pipe_end(), 100), 100);
  const std::string line(300, 'x');
  EXPECT_EQ(fitted_to(pipe_end(), line + " " + line), line + " " + line);
}

TEST_F(TerminalWidth, BreaksLongLines) {
  unsetenv("COLUMNS");
  EXPECT_EQ(fitted_to(terminal(20), "error: one two three four\n"), "error: one two three\n       four\n");
}

}  // namespace
}  // namespace loadshare
