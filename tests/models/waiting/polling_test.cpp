#include "models/waiting/polling.hpp"

#include <gtest/gtest.h>

#include "tests/models/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

EventId in_vain(ProfileBuilder& run, CallId call, std::uint32_t place) {
  const EventId id = run.in_vain(0, call, {1, 2}, 1);
  run.place(0, place);
  return id;
}

EventId success(ProfileBuilder& run, CallId call, std::uint32_t place) {
  const EventId id = run.call(0, call, {2, 3}, {.peer = 0, .tag = 0});
  run.place(0, place);
  return id;
}

TEST(Polling, EndsWithTheNextSuccessOfThatPlace) {
  ProfileBuilder run(1);
  const EventId first = in_vain(run, CallId::Iprobe, 1);
  const EventId elsewhere = in_vain(run, CallId::Iprobe, 2);
  const EventId second = in_vain(run, CallId::Iprobe, 1);
  const EventId found = success(run, CallId::Iprobe, 1);
  const EventId after = in_vain(run, CallId::Iprobe, 1);
  const auto profile = run.built(20);
  const Polling polling(profile);
  EXPECT_EQ(polling.success_of(first), found);
  EXPECT_EQ(polling.success_of(second), found);
  EXPECT_FALSE(polling.success_of(elsewhere));
  EXPECT_FALSE(polling.success_of(after));
}

TEST(Polling, DoesNotMixCallsOfOnePlace) {
  ProfileBuilder run(1);
  const EventId test = in_vain(run, CallId::Test, 1);
  success(run, CallId::Iprobe, 1);
  EXPECT_FALSE(Polling(run.built(20)).success_of(test));
}

TEST(Polling, IsNotToldByAPlaceThatIsNotKnown) {
  ProfileBuilder run(1);
  const EventId probe = in_vain(run, CallId::Iprobe, 0);
  success(run, CallId::Iprobe, 0);
  EXPECT_FALSE(Polling(run.built(20)).success_of(probe));
}

TEST(Polling, IsNotToldByATestThatCompletesNothing) {
  ProfileBuilder run(1);
  const EventId test = in_vain(run, CallId::Test, 1);
  run.call(0, CallId::Test, {2, 3});
  run.place(0, 1);
  success(run, CallId::Test, 1);
  EXPECT_FALSE(Polling(run.built(20)).success_of(test));
}

}  // namespace
}  // namespace loadshare::waiting
