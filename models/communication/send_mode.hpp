#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace loadshare::communication {

/// How a message is sent: MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend and their non-blocking forms.
enum class SendMode : std::uint8_t { standard, buffered, synchronous, ready };

inline constexpr std::array send_modes{SendMode::standard, SendMode::buffered, SendMode::synchronous,
                                       SendMode::ready};

/// Which of a message's two processes.
enum class Side : std::uint8_t { sender, receiver };

/// Whether the receive had been posted when the send began, or came later: the same send costs orders of
/// magnitude more or less by it. A ready send is only legal where it was posted.
enum class ReceivePosted : std::uint8_t { before, after };

/// As they are typed and written in files: "standard", "sender", "before".
std::string name_of(SendMode mode);
std::string name_of(Side side);
std::string name_of(ReceivePosted posted);

/// The value of that name; throws UsageError, with the nearest name, where there is none; `what` names what
/// `text` is the value of.
SendMode parse_send_mode(const std::string& what, const std::string& text);
Side parse_side(const std::string& what, const std::string& text);
ReceivePosted parse_receive_posted(const std::string& what, const std::string& text);

}  // namespace loadshare::communication
