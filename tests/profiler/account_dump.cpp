#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>

#include "models/efficiency/waiting/accounts.hpp"

/// `account_dump PROFILE` prints the times of a profile as JSON, in the form of known_shares, with notes,
/// each rank's reasons for waiting, and the calls' losses by place.
int main(int argc, char** argv) try {
  using namespace loadshare;
  if (argc != 2) return 2;
  const profile::Profile profile = profile::read_profile(argv[1]);
  const waiting::Matching matching(profile);
  const granularity::RunTimes times = waiting::account(matching);
  nlohmann::json account{{"run_s", times.run_s}, {"notes", times.notes}};
  for (std::uint32_t i = 0; i < times.ranks.size(); ++i) {
    const granularity::RankTimes& rank = times.ranks[i];
    nlohmann::json waits;
    const waiting::RankWaits by_state = waiting::waits_of(matching, i);
    for (std::size_t state = 1; state < waiting::wait_states; ++state)
      waits[std::string(waiting::name_of(static_cast<waiting::WaitState>(state)))] =
          static_cast<double>(by_state.by_state_ns[state]) * 1e-9;
    account["ranks"].push_back({{"rank", rank.rank},
                                {"computing_s", rank.computing_s},
                                {"communicating_s", rank.communicating_s},
                                {"idle_s", rank.idle_s},
                                {"stolen_s", rank.stolen_s},
                                {"waits_s", waits}});
  }
  account["losses"] = nlohmann::json::array();
  for (const waiting::Loss& loss : waiting::losses(matching))
    account["losses"].push_back({{"call", loss.call},
                                 {"place", loss.place},
                                 {"state", waiting::name_of(loss.state)},
                                 {"seconds", loss.seconds}});
  std::cout << account << '\n';
} catch (const std::exception& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 2;
}
