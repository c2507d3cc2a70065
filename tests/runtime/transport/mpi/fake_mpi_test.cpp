#include "tests/runtime/transport/mpi/fake_mpi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <thread>

namespace loadshare::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

int start(int level = MPI_THREAD_FUNNELED) {
  int provided = 0, rank = 0;
  MPI_Init_thread(nullptr, nullptr, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Two ranks: what they do, and what there is to complain of.
std::vector<std::string> run_pair(const std::function<void()>& first, const std::function<void()>& second,
                                  FakeMpi fake = {}) {
  return run_fake_mpi(fake, [&] { start() == 0 ? first() : second(); });
}

MPI_Request send(const std::vector<int>& values, int to, int tag = 0) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(values.data(), static_cast<int>(values.size()), MPI_INT, to, tag, MPI_COMM_WORLD, &request);
  return request;
}

int receive(int from, int tag = 0) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return value;
}

void wait(MPI_Request request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

bool is_done_within_many_looks(MPI_Request& request) {
  int is_done = 0;
  for (int look = 0; look < 1000 && is_done == 0; ++look) MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  return is_done != 0;
}

TEST(FakeMpi, KeepsTheOrderOfEachTagWhateverTheDelays) {
  for (const std::size_t eager_bytes : {0u, 4u, 4096u}) {
    const auto complaints = run_pair(
        [] {
          const std::vector<int> long_one{1, 0, 0}, short_one{2}, other{3};
          std::array requests{send(long_one, 1), send(other, 1, 7), send(short_one, 1)};
          for (MPI_Request request : requests) wait(request);
        },
        [] {
          EXPECT_EQ(receive(0, 7), 3);
          std::array<int, 3> values{};
          MPI_Recv(values.data(), 3, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          EXPECT_EQ(values[0], 1);
          EXPECT_EQ(receive(0), 2);
        },
        {.eager_bytes = eager_bytes, .most_delay_s = 1e-3});
    EXPECT_THAT(complaints, IsEmpty());
  }
}

TEST(FakeMpi, LongAndSynchronousSendsWaitForTheirReceives) {
  const auto complaints = run_pair(
      [] {
        const std::vector<int> short_one(2), long_one(3);
        MPI_Request synchronous = MPI_REQUEST_NULL;
        MPI_Issend(short_one.data(), 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &synchronous);
        std::array requests{send(short_one, 1, 0), send(long_one, 1, 1), synchronous};
        EXPECT_TRUE(is_done_within_many_looks(requests[0]));
        EXPECT_FALSE(is_done_within_many_looks(requests[1]));
        EXPECT_FALSE(is_done_within_many_looks(requests[2]));
        MPI_Barrier(MPI_COMM_WORLD);
        for (MPI_Request request : requests) wait(request);
      },
      [] {
        MPI_Barrier(MPI_COMM_WORLD);
        std::array<int, 3> values{};
        for (const int tag : {2, 1, 0})
          MPI_Recv(values.data(), 3, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      },
      {.eager_bytes = 2 * sizeof(int)});
  EXPECT_THAT(complaints, IsEmpty());
}

TEST(FakeMpi, PretendsMachines) {
  const auto complaints = run_fake_mpi({.ranks = 3, .ranks_per_machine = 2}, [] {
    const int rank = start();
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &machine);
    int size = 0, place = 0;
    MPI_Comm_size(machine, &size);
    MPI_Comm_rank(machine, &place);
    EXPECT_EQ(size, rank == 2 ? 1 : 2);
    EXPECT_EQ(place, rank == 0 ? 1 : 0);
    MPI_Comm_free(&machine);
  });
  EXPECT_THAT(complaints, IsEmpty());
}

TEST(FakeMpi, WhoGivesNoColorIsInNoCommunicator) {
  const auto complaints = run_fake_mpi({.ranks = 3}, [] {
    const int rank = start();
    MPI_Comm part = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 7, 0, &part);
    EXPECT_EQ(part == MPI_COMM_NULL, rank == 1);
    if (rank == 1) return;
    int size = 0;
    MPI_Comm_size(part, &size);
    EXPECT_EQ(size, 2);
    MPI_Comm_free(&part);
  });
  EXPECT_THAT(complaints, IsEmpty());
}

TEST(FakeMpiDeathTest, NamesTheTestThatItEnds) {
  const auto give_up = [] { run_pair([] { MPI_Abort(MPI_COMM_WORLD, 3); }, [] {}); };
  EXPECT_EXIT(give_up(), testing::ExitedWithCode(1),
              "FakeMpiDeathTest.NamesTheTestThatItEnds: MPI_Abort with code 3");
}

TEST(FakeMpi, TellsOfWhatIsLeftBehind) {
  EXPECT_THAT(run_pair([] { wait(send({1}, 1, 5)); }, [] {}),
              ElementsAre(HasSubstr("never received: a message of 4 bytes from rank 0 to 1 with tag 5")));
  int value = 0;
  const auto receive_for_ever = [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &request);
  };
  EXPECT_THAT(run_pair(receive_for_ever, [] {}),
              ElementsAre(HasSubstr("left behind: a receive from rank 1")));
  const auto duplicate = [] {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  };
  EXPECT_THAT(run_pair(duplicate, duplicate), ElementsAre(HasSubstr("left behind: a communicator of 2")));
}

TEST(FakeMpi, TellsOfMisuse) {
  EXPECT_THAT(run_pair(
                  [] {
                    wait(send({1, 2}, 1));
                  },
                  [] { receive(0); }),
              ElementsAre(HasSubstr("a message of 8 bytes with tag 0 meets a receive of 4")));
  const auto send_a_double = [] {
    const double value = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    wait(request);
  };
  const auto receive_ints = [] {
    std::array<int, 2> values{};
    MPI_Recv(values.data(), 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  EXPECT_THAT(run_pair(send_a_double, receive_ints),
              ElementsAre(HasSubstr("a message of MPI_DOUBLE with tag 0 meets a receive of MPI_INT")));
  const auto elsewhere = [] { std::jthread([] { MPI_Barrier(MPI_COMM_WORLD); }); };
  EXPECT_THAT(run_pair(elsewhere, [] {}), ElementsAre(HasSubstr("not the one that started MPI")));
  const auto broadcast = [] {
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  };
  EXPECT_THAT(run_pair(broadcast, [] { MPI_Barrier(MPI_COMM_WORLD); }),
              ElementsAre(HasSubstr("where another rank calls")));
  const auto broadcast_bytes = [] {
    int value = 0;
    MPI_Bcast(&value, sizeof(value), MPI_BYTE, 0, MPI_COMM_WORLD);
  };
  EXPECT_THAT(run_pair(broadcast, broadcast_bytes),
              ElementsAre(AllOf(HasSubstr("MPI_INT"), HasSubstr("MPI_BYTE"))));
  for (const auto& [count, type] : {std::pair{2, MPI_INT}, std::pair{4, MPI_BYTE}}) {
    const auto gather = [&] {
      int own = 0;
      std::array<int, 4> all{};
      MPI_Allgather(&own, 1, MPI_INT, all.data(), count, type, MPI_COMM_WORLD);
    };
    EXPECT_THAT(run_pair(gather, gather), ElementsAre(HasSubstr("not what is received of each"),
                                                      HasSubstr("not what is received of each")));
  }
  const auto forget_a_receive = [] {
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  EXPECT_THAT(run_pair(forget_a_receive, [] {}), ElementsAre(HasSubstr("only a send may be freed")));
}

TEST(FakeMpi, LetsThreadsOfARankTakeTurns) {
  const auto by_another_thread = [] {
    start(MPI_THREAD_SERIALIZED);
    std::jthread([] { MPI_Barrier(MPI_COMM_WORLD); });
  };
  EXPECT_THAT(run_fake_mpi({}, by_another_thread), IsEmpty());
  const auto at_a_time = [] {
    if (start(MPI_THREAD_SERIALIZED) != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return wait(send({1}, 0));
    }
    std::jthread other([] { receive(1); });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    int is_there = 0;
    MPI_Iprobe(1, 1, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
  };
  EXPECT_THAT(run_fake_mpi({}, at_a_time), Contains(HasSubstr("while another thread")));
}

}  // namespace
}  // namespace loadshare::test
