#include "experiments/report/launch.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "base/error.hpp"

namespace loadshare::report {
namespace {

namespace fs = std::filesystem;

class Launch : public testing::Test {
 protected:
  Launch() { fs::create_directories(root_); }
  ~Launch() override { fs::remove_all(root_); }

  fs::path package(const fs::path& folder) {
    fs::create_directories(root_ / folder);
    std::ofstream(root_ / folder / "__main__.py");
    return root_ / folder;
  }

  fs::path python(const std::string& name, int exit_code) {
    const fs::path path = root_ / name;
    std::ofstream(path) << "#!/bin/sh\nexit " << exit_code << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  fs::path root_ = fs::temp_directory_path() / ("launch_test." + std::to_string(getpid()));
};

TEST_F(Launch, TakesTheInstalledPackageFirst) {
  const fs::path source = package("source");
  EXPECT_EQ(find_package(root_ / "prefix/bin", source), source);
  const fs::path installed = package("prefix/share/loadshare/report");
  EXPECT_EQ(find_package(root_ / "prefix/bin", source), installed);
}

TEST_F(Launch, SaysWhereItLookedForThePackage) {
  try {
    find_package("/nowhere/bin", "/nothing");
    FAIL() << "found a package";
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "the report's python package is missing (it is neither in /nowhere/share/loadshare/report nor in "
        "/nothing); install loadshare again: cmake --install build");
  }
}

TEST_F(Launch, TakesTheFirstPythonThatHasTheModules) {
  const std::vector<std::string> all{root_ / "none", python("bare", 1), python("full", 0),
                                     python("other", 0)};
  EXPECT_EQ(find_python(all), all[2]);
}

TEST_F(Launch, NamesThePackagesWhenNoPythonFits) {
  const std::vector<std::string> all{"no-such-python3", python("bare", 1)};
  try {
    find_python(all);
    FAIL() << "found a python";
  } catch (const UsageError& error) {
    EXPECT_THAT(
        error.what(),
        testing::StartsWith("no python3 can make the report (it needs version 3.10 or later with numpy, "
                            "scipy and matplotlib; tried no-such-python3, "));
    EXPECT_THAT(error.what(), testing::EndsWith("/bare); apt-get install python3-matplotlib python3-scipy"));
  }
}

}  // namespace
}  // namespace loadshare::report
