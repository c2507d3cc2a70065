"""The page that shows a run: its content, also in a browser, and access to it."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

from status_page import await_page, cells, get, url_of
from tcp_farm import OTHER_USER, TcpCase, long_run, require_other_user


def in_browser(url):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([shutil.which("chromium"), "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
                               f"--user-data-dir={profile}", url], capture_output=True, text=True, timeout=100, check=True).stdout


def contrast(text, ground):
    """The contrast of two colours written as #rrggbb, by the formula of WCAG 2."""
    def luminance(colour):
        parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))

    low, high = sorted((luminance(text), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


class Status(TcpCase):
    def show(self, *words):
        """A master that serves its page, whose address is `url`."""
        master = self.listen(*long_run(4), "--status", "127.0.0.1:0", *words)
        master.url = url_of(master)
        return master

    def await_page(self, master, text):
        return await_page(master.url, text)

    def assert_readable(self, page):
        """Every colour of text has a contrast of 4.5:1 on light and on dark screens, and phones show the page unscaled."""
        self.assertIn('<meta name="viewport" content="width=device-width,initial-scale=1">', page)
        light, dark = (dict(re.findall(r"--(\w+):(#\w{6})", colours)) for colours in re.findall(r":root{(.*?)}", page, re.DOTALL))
        self.assertEqual(light.keys(), dark.keys())
        for colours in (light, dark):
            for name in ("text", "quiet", "bad"):
                self.assertGreaterEqual(contrast(colours[name], colours["page"]), 4.5, name)
        self.assertEqual(set(re.findall(r"[;{]color:([^;}]*)", page)), {"var(--text)", "var(--quiet)", "var(--bad)"})

    def test_the_page_shows_hosts_rates_chunks_and_losses_in_a_browser(self):
        master = self.show()
        self.await_page(master, "0 of 1,200 columns done after")
        members = []
        for count in (1, 2):
            members.append(self.join(master, "--workers", count))
            self.await_joined(master, count)
        page = self.await_page(master, r"(?s)<td>2<td.*computing.*<td>3<td")
        self.assertNotIn("<script", page)
        self.assert_readable(page)
        self.assertIn('http-equiv="refresh" content="1"', page)
        workers = cells(page, "workers")
        self.assertEqual([row[0] for row in workers], ["1", "2", "3"])
        self.assertEqual({row[1] for row in workers}, {socket.gethostname()})
        self.assertRegex(workers[0][6], r"^\d+-\d+")
        self.assertEqual(cells(page, "hosts")[0][1:3], ["3", "0"])
        self.await_page(master, r"about \d+:\d\d left")
        members[0].kill()
        page = self.await_page(master, "1 worker lost")
        self.assertEqual(cells(page, "hosts")[0][1:3], ["2", "1"])
        [gone] = [row for row in cells(page, "workers") if row[3] == "lost"]
        self.assertEqual(gone[5], "0.00", "who is gone has no rate")
        self.await_message(master, re.escape(f"rank {gone[0]} on {gone[1]} ({gone[2]}) was lost"))
        seen = in_browser(master.url)
        self.assertRegex(seen, r'id="done">\d[\d,]* of 1,200 columns done after 0:\d\d')
        self.assertIn("1 worker lost", seen)
        self.assertEqual(self.good_record(master, 100)["verified"], True)

    def test_the_page_needs_the_secret(self):
        secret = self.path("secret")
        with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(bytes(range(32)))
        master = self.show("--secret-file", secret)
        base, key = master.url.split("?key=")
        self.assertRegex(key, "^[0-9a-f]{32}$")
        self.assertEqual(get(master.url)[0], 200)
        for target in ("", "?key=", "?key=" + key[:-1], "?key=" + "0" * 32, "?key=" + key + "0"):
            self.assertEqual(get(base + target)[0], 403, target)
        self.assertEqual(get(base + "other")[0], 404)
        self.assertNotEqual(key, self.show("--secret-file", secret).url.split("?key=")[1], "it is no function of the secret")

    def test_without_a_secret_the_page_is_for_its_own_user(self):
        require_other_user(self)
        master = self.show()
        self.assertEqual(get(master.url)[0], 200)
        os.seteuid(OTHER_USER)  # sockets created from here on belong to that user
        try:
            status, page = get(master.url)
        finally:
            os.seteuid(0)
        self.assertEqual(status, 403, page)
        self.assertIn("this page is only for the user who runs the master", page)
        self.assertEqual(get(master.url)[0], 200)

    def test_the_server_answers_nonsense_and_survives_it(self):
        master = self.show()
        port = int(re.search(r":(\d+)/", master.url)[1])
        for said, answer in ((b"POST / HTTP/1.1\r\n\r\n", b" 405 "), (b"hello\r\n\r\n", b" 400 "), (b"GET\r\n\r\n", b" 400 "),
                             (b"x" * 20_000, b""), (b"\0\xff", b"")):
            with socket.create_connection(("127.0.0.1", port)) as visit:
                visit.sendall(said)
                if answer:
                    self.assertIn(answer, visit.recv(1000))
        self.await_page(master, "columns")

    def test_a_visitor_that_only_holds_connections_excludes_no_other(self):
        master = self.show()
        port = int(re.search(r":(\d+)/", master.url)[1])
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
        self.addCleanup(lambda: [visit.close() for visit in idle])
        begun_s = time.monotonic()
        self.assertEqual(get(master.url)[0], 200)
        self.assertLess(time.monotonic() - begun_s, 4, "until the eldest visits had been given up")

    def test_addresses_that_cannot_be(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            for address, text in (
                ("0.0.0.0:0", "can be reached from other hosts, and there is no secret"),
                ("127.0.0.1", "a port is a number from 0 to 65535"),
                ("127.0.0.1:99999", "a port is a number from 0 to 65535"),
                ("nowhere.invalid:1", "there is no host nowhere.invalid"),
                (f"127.0.0.1:{taken.getsockname()[1]}", "cannot serve --status at"),
            ):
                done = self.run_program("--size", 50, "--workers", 1, "--status", address)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(text, done.stderr)

    def test_a_port_without_an_address_is_on_this_host(self):
        done = self.run_program("--size", 50, "--workers", 1, "--status", 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"status at http://127\.0\.0\.1:\d+/\n")


if __name__ == "__main__":
    unittest.main()
