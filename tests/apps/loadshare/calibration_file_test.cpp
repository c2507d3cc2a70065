#include "apps/loadshare/calibration_file.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/apps/loadshare/made_calibration.hpp"

namespace loadshare::tool::test {
namespace {

using nlohmann::json;

constexpr const char* written = R"({
"kind": "loadshare calibration",
"schema": 1,
"launches": [
{"begun":"2026-01-31T12:00:00Z","seconds":1.5,"seed":7,"clock_s":2.5e-08,"transport":{"btl":"tcp,self"},"versions":{"mpi":"Open MPI v4.1.4"},"ranks":[{"host":"n1","cpus":[0,1]},{"host":"n2","cpus":[]}]}],
"messages": [
{"launch":0,"sender":0,"receiver":1,"mode":"standard","posted":"before","bytes":64,"sender_ns":[1000],"receiver_ns":[2000]},
{"launch":0,"sender":0,"receiver":1,"mode":"standard","posted":"after","bytes":64,"sender_ns":[3000,5000],"receiver_ns":[4000,6000],"has_waited":[0,1]},
{"launch":0,"sender":0,"receiver":1,"mode":"standard","posted":"after","bytes":99,"sender_ns":[7000],"receiver_ns":[8000],"has_waited":[1]}],
"round_trips": [
{"launch":0,"sender":0,"receiver":1,"ns":[1000,3000]}],
"bursts": [
{"launch":0,"sender":0,"receiver":1,"bytes":64,"messages":11,"ns":[10000,30000]}],
"collectives": [
{"launch":0,"call":"allreduce","ranks":2,"bytes":8,"ns":[5000,7000]}],
"rooted_calls": [
{"launch":0,"call":"bcast","ranks":2,"bytes":8,"begun_ns":[[0,3000],[1000,0]],"ended_ns":[[1000,4000],[2000,5000]]}],
"chunks": [
{"launch":0,"rank":1,"kernel":"packed","size":100,"columns":4,"ns":[2000,4000,6000]}]
}
)";

std::string error_of(const std::string& text) {
  try {
    parse_calibration(text, "pair.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

/// What is said of the file above after `spoil` had its way with it; each of its parts is on line 1 then.
std::string error_after(const std::function<void(json&)>& spoil) {
  json file = json::parse(written);
  spoil(file);
  return error_of(file.dump());
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos);
  return text.replace(at, from.size(), to);
}

constexpr const char* damaged = "; the file is damaged, or was not written by loadshare";

TEST(CalibrationFile, IsWrittenASeriesALine) {
  EXPECT_EQ(to_json(made_calibration()), written);
}

TEST(CalibrationFile, ReadBackIsWrittenTheSame) {
  EXPECT_EQ(to_json(parse_calibration(written, "pair.json")), written);
}

TEST(CalibrationFile, TellsWhatWasAskedForIfThatIsKnown) {
  EXPECT_FALSE(parse_calibration(written, "pair.json").launches.front().asked_for);
  const std::string told = with(written, R"("versions":)", R"("asked_for":{"btl":"tcp,self"},"versions":)");
  EXPECT_EQ(parse_calibration(told, "pair.json").launches.front().asked_for,
            (calibration::MpiSetup{{"btl", "tcp,self"}}));
  EXPECT_EQ(to_json(parse_calibration(told, "pair.json")), told);
  EXPECT_EQ(error_after([](json& file) { file["launches"][0]["asked_for"] = 7; }).substr(0, 29),
            "pair.json:1: 'asked_for' of l");
}

TEST(CalibrationFile, ThatIsNoJsonNamesTheLine) {
  const std::string why =
      ": this is no JSON (the file is cut short or damaged, or was not written by loadshare calibrate)";
  EXPECT_EQ(error_of("{\n\"kind\": nothing}"), "pair.json:2:10" + why);
  EXPECT_EQ(error_of(std::string(written).substr(0, 60)).substr(0, 12), "pair.json:4:");
  EXPECT_EQ(error_of(""),
            "pair.json is empty (a calibration is JSON); write one with loadshare calibrate --out FILE");
}

TEST(CalibrationFile, OfAnotherKindOrSchemaIsRefused) {
  const std::string kind =
      "pair.json: this is not a calibration (its 'kind' is not \"loadshare calibration\"); give a file that "
      "loadshare calibrate wrote";
  EXPECT_EQ(error_after([](json& file) { file["kind"] = "a poem"; }), kind);
  EXPECT_EQ(error_after([](json& file) { file.erase("kind"); }), kind);
  EXPECT_EQ(error_after([](json& file) { file["schema"] = 2; }),
            "pair.json: a calibration of schema 2 (this program reads 1); use the loadshare that wrote it");
  EXPECT_EQ(error_of("[]"), std::string("pair.json: the calibration is no JSON object (array)") + damaged);
}

TEST(CalibrationFile, SaysWhatIsWrongWithASeries) {
  const auto spoiled = [](const char* key, const json& value) {
    return error_after([&](json& file) { file["messages"][1][key] = value; });
  };
  EXPECT_EQ(
      spoiled("mode", "stadnard"),
      "pair.json:1: unknown mode 'stadnard' (valid: standard, buffered, synchronous, ready); did you mean "
      "'standard'?");
  EXPECT_EQ(spoiled("launch", 1),
            std::string("pair.json:1: there is no launch 1 (they count from 0)") + damaged);
  EXPECT_EQ(spoiled("receiver", 2),
            std::string("pair.json:1: there is no rank 2 (they count from 0)") + damaged);
  EXPECT_EQ(spoiled("bytes", -1),
            std::string("pair.json:1: 'bytes' of messages 2 is -1 (at least 0)") + damaged);
  EXPECT_EQ(spoiled("sender_ns", {3000, 0}),
            std::string("pair.json:1: a time in 'sender_ns' is 0 (they are whole nanoseconds, at least 1)") +
                damaged);
  EXPECT_EQ(spoiled("sender_ns", {3000}),
            std::string("pair.json:1: 1 times of the sender and 2 of the receiver (every message has both)") +
                damaged);
  EXPECT_EQ(spoiled("sender_ns", json::array()),
            std::string("pair.json:1: 'sender_ns' is empty (a series has at least one time)") + damaged);
  EXPECT_EQ(spoiled("has_waited", {0}),
            std::string("pair.json:1: 2 messages, but 1 values of 'has_waited' (each has one)") + damaged);
  EXPECT_EQ(spoiled("has_waited", {0, 2}),
            std::string("pair.json:1: 'has_waited' holds 2 (it is 0 or 1)") + damaged);
}

TEST(CalibrationFile, NamesTheLineOfWhatIsWrong) {
  EXPECT_EQ(error_of(with(written, "\"bytes\":99", "\"bytes\":-9")),
            std::string("pair.json:9: 'bytes' of messages 3 is -9 (at least 0)") + damaged);
  EXPECT_EQ(error_of(with(written, "\"columns\":4", "\"columns\":0")),
            std::string("pair.json:19: 'columns' of chunks 1 is 0 (at least 1)") + damaged);
  EXPECT_EQ(error_of(with(written, "[1000,3000]", "\"none\"")),
            std::string("pair.json:11: 'ns' of round_trips 1 is \"none\" (it must be a list)") + damaged);
  EXPECT_EQ(error_after([](json& file) { file["messages"][1] = 7; }),
            std::string("pair.json: messages 2 is no JSON object (number)") + damaged);
}

TEST(CalibrationFile, RefusesWhatCannotHaveBeen) {
  EXPECT_EQ(
      error_after([](json& file) { file["messages"][1]["receiver"] = 0; }),
      std::string("pair.json:1: rank 0 is sender and receiver (messages go from one to another)") + damaged);
  EXPECT_EQ(
      error_after([](json& file) { file["round_trips"][0]["sender"] = 1; }),
      std::string("pair.json:1: rank 1 is sender and receiver (messages go from one to another)") + damaged);
  EXPECT_EQ(error_after([](json& file) { file["messages"][1]["mode"] = "ready"; }),
            std::string("pair.json:1: a ready send whose receive was posted after it (MPI forbids that)") +
                damaged);
  EXPECT_EQ(error_after([](json& file) { file["chunks"][0]["columns"] = 101; }),
            std::string("pair.json:1: 101 columns of a matrix of 100 (a chunk is a part of it)") + damaged);
}

TEST(CalibrationFile, ChecksCollectiveCalls) {
  const auto spoiled = [](const char* key, const json& value) {
    return error_after([&](json& file) { file["collectives"][0][key] = value; });
  };
  EXPECT_EQ(
      spoiled("call", "alreduce"),
      "pair.json:1: unknown collective call 'alreduce' (valid: barrier, bcast, reduce, allreduce, gather, "
      "gatherv, scatter, scatterv, allgather, allgatherv, alltoall, alltoallv, reduce_scatter, "
      "reduce_scatter_block, scan, exscan); did you mean 'allreduce'?");
  EXPECT_EQ(spoiled("ranks", 3), std::string("pair.json:1: a call of 3 ranks (the launch has 2)") + damaged);
  EXPECT_EQ(spoiled("ranks", 1),
            std::string("pair.json:1: 'ranks' of collectives 1 is 1 (at least 2)") + damaged);
  EXPECT_EQ(spoiled("launch", 1),
            std::string("pair.json:1: there is no launch 1 (they count from 0)") + damaged);
  EXPECT_EQ(
      spoiled("ns", {5000, 0}),
      std::string("pair.json:1: a time in 'ns' is 0 (they are whole nanoseconds, at least 1)") + damaged);
}

TEST(CalibrationFile, ChecksBursts) {
  EXPECT_EQ(error_after([](json& file) { file["bursts"][0]["messages"] = 1; }),
            std::string("pair.json:1: 'messages' of bursts 1 is 1 (at least 2)") + damaged);
  EXPECT_EQ(
      error_after([](json& file) { file["bursts"][0]["receiver"] = 0; }),
      std::string("pair.json:1: rank 0 is sender and receiver (messages go from one to another)") + damaged);
}

TEST(CalibrationFile, ChecksCallsWithARoot) {
  const auto spoiled = [](const char* key, const json& value) {
    return error_after([&](json& file) { file["rooted_calls"][0][key] = value; });
  };
  EXPECT_EQ(
      spoiled("call", "barrier"),
      std::string("pair.json:1: 'barrier' has no root (only calls with a root are recorded rank by rank)") +
          damaged);
  EXPECT_EQ(
      spoiled("begun_ns", {{0, 1, 2}}),
      std::string("pair.json:1: a call in 'begun_ns' is [0,1,2] (it has whole nanoseconds of 2 ranks)") +
          damaged);
  EXPECT_EQ(spoiled("ended_ns", {{1, 1}, {1, -1}}),
            std::string("pair.json:1: a call in 'ended_ns' is [1,-1] (it has whole nanoseconds of 2 ranks)") +
                damaged);
  const std::string no_end =
      std::string(
          "pair.json:1: a call has no end, or ends before it begins (every rank has one for each call)") +
      damaged;
  EXPECT_EQ(spoiled("ended_ns", {{4000, 4000}}), no_end);
  EXPECT_EQ(spoiled("ended_ns", {{4000, 2999}, {4000, 4000}}), no_end);
}

TEST(CalibrationFile, OfAnEarlierVersionHasNoCollectiveCalls) {
  json file = json::parse(written);
  file.erase("collectives");
  file.erase("rooted_calls");
  file.erase("bursts");
  const calibration::Calibration old = parse_calibration(file.dump(), "pair.json");
  EXPECT_TRUE(old.collectives.empty());
  EXPECT_TRUE(old.rooted_calls.empty());
  EXPECT_TRUE(old.bursts.empty());
}

TEST(CalibrationFile, HasLaunchesOnTheSameHosts) {
  const std::string why =
      " (the launches of a calibration are on the same hosts); keep each cluster's calibration in a file of "
      "its own";
  EXPECT_EQ(error_after([](json& file) {
              file["launches"].push_back(file["launches"][0]);
              file["launches"][1]["ranks"].push_back({{"host", "n3"}, {"cpus", {0}}});
            }),
            "pair.json:1: the ranks are 3, and were 2" + why);
  EXPECT_EQ(error_after([](json& file) {
              file["launches"].push_back(file["launches"][0]);
              file["launches"][1]["ranks"][1]["host"] = "n3";
            }),
            "pair.json:1: rank 1 is on n3, and was on n2" + why);
}

TEST(CalibrationFile, NeedsLaunchesMessagesAndRoundTrips) {
  EXPECT_EQ(error_after([](json& file) { file["launches"].clear(); }),
            std::string("pair.json: there are no launches (every calibration has one)") + damaged);
  EXPECT_EQ(error_after([](json& file) { file["messages"].clear(); }),
            std::string("pair.json: there are no messages (every calibration has some)") + damaged);
  EXPECT_EQ(
      error_after([](json& file) { file["round_trips"].clear(); }),
      std::string("pair.json: there are no round trips between rank 0 and rank 1 (every pair needs some)") +
          damaged);
  EXPECT_EQ(error_after([](json& file) { file.erase("chunks"); }),
            std::string("pair.json: the calibration has no 'chunks' (every record has one)") + damaged);
}

TEST(CalibrationFile, ThatIsNotThereIsNamed) {
  try {
    read_calibration("/no/such/pair.json");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "cannot read /no/such/pair.json (no such file or directory)");
  }
}

TEST(CalibrationFile, MayNotBeADirectory) {
  try {
    read_calibration("/");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "cannot read / (it is a directory)");
  }
}

}  // namespace
}  // namespace loadshare::tool::test
