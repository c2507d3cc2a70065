#include "apps/loadshare/calibrate/survey_notes.hpp"

#include <gmock/gmock.h>

namespace loadshare::tool {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

calibration::MessageSeries series(std::size_t messages, double sender_s = 2e-6) {
  return {.messages = {messages, {sender_s, 3e-6, false}}};
}

TEST(SurveyNotes, AreNoneWhereAllIsAsAsked) {
  EXPECT_THAT(survey_notes(std::vector{series(30), series(400)}, SurveyOptions{}, {.most_bytes = 4 << 20}),
              IsEmpty());
}

TEST(SurveyNotes, NameWhatThereWasNoTimeFor) {
  EXPECT_THAT(survey_notes(std::vector{series(29), series(30)}, SurveyOptions{}, {.most_bytes = 2'000'000}),
              ElementsAre("40 seconds are too few for messages of more than 2,000,000 bytes: left out",
                          "1 of 2 kinds and sizes have fewer than 30 messages: give more --seconds"));
}

TEST(SurveyNotes, CountWhatIsNotAmongTheSamples) {
  EXPECT_THAT(
      survey_notes(std::vector{series(30, 1e-9)}, SurveyOptions{},
                   {.most_bytes = 4 << 20, .visits = 1200, .messages = 1}),
      ElementsAre("1,200 series of messages were sent again, as one of the two had lost its processor",
                  "1 message left out whose receive was posted too early",
                  "30 messages took less than the clock tells: kept as 1 ns"));
}

}  // namespace
}  // namespace loadshare::tool
