#include "experiments/sweep/layers.hpp"

#include <gtest/gtest.h>

#include "experiments/yaml/document.hpp"

namespace loadshare::sweep {
namespace {

TEST(Layers, TheTopmostCounts) {
  Layers layers;
  layers.lay(yaml::read("repeat: 30\noptions: {size: 720, kernel: naive}\n", "f").map());
  layers.lay(yaml::read("repeat: 3\noptions: {seed: 1, size: 300}\n", "f").map());
  EXPECT_EQ(layers.find("repeat")->whole(), 3);
  EXPECT_FALSE(layers.find("load"));
  std::string text;
  for (const auto& [name, value] : layers.merged("options")) text += name + "=" + value.text() + " ";
  EXPECT_EQ(text, "size=300 kernel=naive seed=1 ");
}

}  // namespace
}  // namespace loadshare::sweep
