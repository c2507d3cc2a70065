// Messages of every kind between 2 to 4 ranks. The test of the reader checks their events, which it
// identifies by their tags.
#include <mpi.h>

#include <array>

namespace {

int rank_of(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

void require(bool holds) {
  if (!holds) MPI_Abort(MPI_COMM_WORLD, 3);
}

/// Tags 10 to 13, one per mode, 8 bytes per element; the receiver takes them in the order of arrival.
void modes(int rank) {
  std::array<double, 4> values{1, 2, 3, 4};
  if (rank == 0) {
    std::array<char, 4096> room{};
    MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
    MPI_Send(values.data(), 1, MPI_DOUBLE, 1, 10, MPI_COMM_WORLD);
    MPI_Bsend(values.data(), 2, MPI_DOUBLE, 1, 11, MPI_COMM_WORLD);
    MPI_Ssend(values.data(), 3, MPI_DOUBLE, 1, 12, MPI_COMM_WORLD);
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend(values.data(), 4, MPI_DOUBLE, 1, 13, MPI_COMM_WORLD);
    void* detached = nullptr;
    int size = 0;
    MPI_Buffer_detach(&detached, &size);
  } else if (rank == 1) {
    std::array<double, 10> got{};
    for (int tag = 10; tag < 13; ++tag)
      MPI_Recv(got.data(), 10, MPI_DOUBLE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request ready = MPI_REQUEST_NULL;
    MPI_Irecv(got.data(), 10, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &ready);
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 14, MPI_COMM_WORLD);
    MPI_Status status;
    MPI_Wait(&ready, &status);
    require(status.MPI_SOURCE == 0 && status.MPI_TAG == 13 && got[3] == 4);
  }
}

/// Tag 20: messages to MPI_PROC_NULL. Their events must not have a peer or a request.
void no_process() {
  int value = 0;
  MPI_Status status;
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 20, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 20, MPI_COMM_WORLD, &status);
  require(status.MPI_SOURCE == MPI_PROC_NULL);
  std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 20, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 20, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
}

/// Tags 30 to 33 through Waitany, 34 to 37 through Testsome; 4 bytes, from rank 0 to 1.
void completions(int rank) {
  std::array<int, 8> values{};
  std::array<MPI_Request, 8> requests{};
  for (int i = 0; i < 8; ++i)
    if (rank == 0)
      MPI_Isend(&values[static_cast<std::size_t>(i)], 1, MPI_INT, 1, 30 + i, MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(i)]);
    else
      MPI_Irecv(&values[static_cast<std::size_t>(i)], 1, MPI_INT, 0, 30 + i, MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(i)]);
  for (int i = 0; i < 4; ++i) {
    int index = 0;
    MPI_Waitany(4, requests.data(), &index, MPI_STATUS_IGNORE);
  }
  std::array<int, 4> indices{};
  for (int left = 4, done = 0; left > 0; left -= done)
    MPI_Testsome(4, requests.data() + 4, &done, indices.data(), MPI_STATUSES_IGNORE);
}

/// Tag 40 persistent, twice; tag 41 cancelled; tag 42 freed.
void persistent(int rank) {
  int value = rank;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0)
    MPI_Send_init(&value, 1, MPI_INT, 1, 40, MPI_COMM_WORLD, &request);
  else
    MPI_Recv_init(&value, 1, MPI_INT, 0, 40, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 41, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) {
    MPI_Isend(&value, 1, MPI_INT, 1, 42, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/// Tag 50 by Iprobe until it has arrived, 51 by Mprobe and Mrecv, 52 by Probe.
void probes(int rank) {
  std::array<char, 5> text{};
  if (rank == 0) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 53, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int tag = 50; tag < 53; ++tag) MPI_Send(text.data(), tag - 48, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
    return;
  }
  int flag = 0;
  for (int i = 0; i < 5; ++i) MPI_Iprobe(0, 50, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  require(flag == 0);
  MPI_Send(nullptr, 0, MPI_BYTE, 0, 53, MPI_COMM_WORLD);
  while (flag == 0) MPI_Iprobe(MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(text.data(), 5, MPI_CHAR, 0, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(text.data(), 5, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  MPI_Probe(0, 52, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(text.data(), 5, MPI_CHAR, 0, 52, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Tag 60 out, 61 in: around the ring.
void exchange(int rank) {
  const int other = 1 - rank;
  std::array<int, 3> out{};
  std::array<int, 3> in{};
  MPI_Sendrecv(out.data(), rank + 1, MPI_INT, other, 60 + rank, in.data(), 3, MPI_INT, other, 60 + other,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Counting begins at a level above 0, and ends at 0.
void control() {
  constexpr int level = 77;
  MPI_Pcontrol(level);
  MPI_Pcontrol(0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = rank_of(MPI_COMM_WORLD);
  modes(rank);
  no_process();
  control();
  if (rank < 2) {
    completions(rank);
    persistent(rank);
    probes(rank);
    exchange(rank);
  }
  MPI_Finalize();
}
