// A user's program with options of every kind, for `own_options_test.py`.
#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "program/loadshare.hpp"

int main(int argc, char** argv) {
  double cost_s = 0.0002;
  bool is_fine = false;
  std::vector<int> levels{1, 2};
  std::string name = "plain", out, api_token;
  const auto body = [&](loadshare::Farm& farm) {
    const std::vector<int> results = farm.map<int>(200, [&](loadshare::Index i) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(cost_s);
      while (std::chrono::steady_clock::now() < end) continue;
      return static_cast<int>(i);
    });
    if (farm.is_master() && !out.empty()) std::ofstream(out) << results.size() << "\n";
  };
  return loadshare::run(
      argc, argv, body,
      {.options =
           [&](CLI::App& app) {
             app.add_option("NAME", name, "of the case");
             app.add_option("--cost", cost_s, "seconds an iteration");
             app.add_option("--api-token", api_token, "for a service");
             CLI::App* more = app.add_option_group("More");
             more->add_flag("--fine", is_fine, "finer");
             more->add_option("--levels", levels, "several")->delimiter(',')->allow_extra_args(false);
             more->add_option("--out", out, "where results go");
           },
       .unrecorded = {"--out"}});
}
