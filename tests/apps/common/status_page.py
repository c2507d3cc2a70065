"""The page that shows a run, as a visitor reads it."""

import re
import urllib.error
import urllib.request

from processes import wait_until


def url_of(running):
    """Returns the address at which a `tcp_farm.Process` with --status serves its page."""
    assert wait_until(lambda: "status at " in running.stderr, 20), running.stderr
    return re.search(r"status at (\S+)", running.stderr)[1]


def get(url):
    """Returns (status, content) of a page."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def await_page(url, text):
    """Returns the page once it matches `text`."""
    page = wait_until(lambda: (found := get(url)[1]) and re.search(text, found) and found, 30)
    assert page, get(url)[1]
    return page


def cells(page, table):
    body = re.search(rf'<table id="{table}">(.*?)</table>', page, re.DOTALL)[1]
    return [[re.sub("<[^>]*>", "", cell).strip() for cell in re.split("<td[^>]*>", row)[1:]] for row in body.split("<tr>")[2:]]
