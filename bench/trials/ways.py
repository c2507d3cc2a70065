"""The connection of one worker to the master, which can be cut: then nothing passes, without an error at either end."""

import itertools
import select
import socket
import struct
import subprocess
import threading
import time

from comparison import processes

CLONE_NEWNET = 0x40000000


def start(words, **options):
    """Starts a process that the kernel kills when this one ends, even while it is stopped."""
    return subprocess.Popen([*map(str, words)], preexec_fn=processes.killed_with_parent, **options)


class Way:
    """A direct connection over loopback."""

    can_be_cut = can_be_torn = False
    is_cut = False

    def __init__(self, address):
        self.address = address

    def command(self, words):
        """Returns the command that starts a program at the worker's end."""
        return words

    def close(self):
        pass


class Relay(Way):
    """A relay between both ends over loopback. It still listens after its connections were reset, so that a worker can join
    again."""

    can_be_cut = can_be_torn = True

    def __init__(self, address, bytes_s=None):
        """`bytes_s`: the most bytes per second of both directions together."""
        self.bytes_s = bytes_s
        self.server = socket.create_server(("127.0.0.1", 0))
        super().__init__("127.0.0.1:%d" % self.server.getsockname()[1])
        host, port = address.rsplit(":", 1)
        self.master = (host, int(port))
        self.pairs = []
        self.is_closed = False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.is_closed:
            try:
                worker, _ = self.server.accept()
            except OSError:
                return
            pair = [worker]
            self.pairs.append(pair)
            threading.Thread(target=self.carry, args=(pair,), daemon=True).start()

    def carry(self, pair):
        try:
            pair.append(socket.create_connection(self.master))
            while True:
                if self.is_cut:  # the connections stay as they are
                    time.sleep(0.02)
                    continue
                for end in select.select(pair, [], [], 0.05)[0]:
                    some = end.recv(1 << 16)
                    if not some:
                        return
                    if self.bytes_s:
                        time.sleep(len(some) / self.bytes_s)
                    pair[1 - pair.index(end)].sendall(some)
        except (OSError, ValueError):
            pass
        finally:
            for end in pair:
                end.close()

    def tear(self):
        """Resets the connection at both ends."""
        for pair in self.pairs:
            for end in pair:
                try:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    end.shutdown(socket.SHUT_RDWR)
                    end.close()
                except OSError:
                    pass

    def cut(self):
        self.is_cut = True

    def mend(self):
        self.is_cut = False

    def close(self):
        self.is_closed = True
        self.server.close()
        self.tear()
        self.is_cut = False


def run(*words):
    subprocess.run([*map(str, words)], check=True, capture_output=True)


def leave_network():
    """Moves this process and its children to a network of their own, which ends with them.

    It is a bridge to which cables connect each Host. Raises PermissionError."""
    if processes.LIBC.unshare(CLONE_NEWNET) != 0:
        raise PermissionError("cannot make a network (this needs root); run it as root")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "switch", "type", "bridge")
    run("ip", "address", "add", f"{Host.NETWORK}.1/16", "dev", "switch")
    run("ip", "link", "set", "switch", "up")


class Host(Way):
    """A network namespace that acts as a host, whose cable can be unplugged from the switch.

    It has no name, so the kernel removes it with its last process."""

    can_be_cut = True
    NETWORK = "10.77.0"
    numbers = itertools.count(2)

    def __init__(self, address):
        super().__init__(address)
        number = next(self.numbers)
        self.cable = f"cable{number}"
        self.holder = start(["unshare", "--net", "sh", "-c", "echo; exec sleep 1000"], stdout=subprocess.PIPE)
        self.holder.stdout.readline()
        run("ip", "link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", self.holder.pid)
        run(*self.command(["ip", "address", "add", f"10.77.{number >> 8}.{number & 255}/16", "dev", "eth0"]))
        run(*self.command(["ip", "link", "set", "eth0", "up"]))
        run("ip", "link", "set", self.cable, "up")
        self.mend()

    def command(self, words):
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", *words]

    def cut(self):
        self.is_cut = True
        run("ip", "link", "set", self.cable, "nomaster")

    def mend(self):
        self.is_cut = False
        run("ip", "link", "set", self.cable, "master", "switch")

    def close(self):
        self.holder.kill()
        self.holder.wait()
