# SPDX-License-Identifier: Apache-2.0
"""Requests through HAProxy whose answers are checked byte by byte."""

import http.client
import itertools
import random
import threading


class Client:
    """One persistent connection. Raises if any request is lost or is answered with changed data."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def close(self):
        self.connection.close()

    def request(self, name, headers=None, size=0):
        """Sends a request called `name`. Returns the headers that the service saw."""
        body = "%x" % random.getrandbits(4 * size) if size else ""
        text = "%x" % random.getrandbits(64)
        self.connection.request("POST", f"/path/{name}", body,
                                {"x-request": name, "x-text": text} | (headers or {}))
        answer = self.connection.getresponse()
        received = answer.read().decode()
        seen = {key[7:]: value for key, value in answer.getheaders() if key.startswith("x-seen-")}
        assert answer.status == 200, f"{name}: status {answer.status}"
        assert answer.getheader("x-request") == name, f"{name}: the answer to another request"
        assert seen["text"] == text, f"{name}: a header was changed"
        assert received == body, f"{name}: the body was changed"
        return seen


class Load:
    """Sends `count` requests on several connections in parallel, on threads. Without `count`, it
    continues until stop()."""

    def __init__(self, port, count=None, connections=4):
        self.seen = {}  # the headers that the service saw, by request
        self.errors = []
        self.stopped = False
        names = itertools.count() if count is None else iter(range(count))
        lock = threading.Lock()

        def work():
            client = Client(port)
            while True:
                with lock:
                    number = None if self.stopped else next(names, None)
                if number is None:
                    break
                try:
                    self.seen[str(number)] = client.request(str(number),
                                                            size=random.randrange(4000))
                except Exception as error:  # of any kind: only the requests matter
                    self.errors.append(f"request {number}: {error!r}")
                    client.close()
            client.close()

        self.threads = [threading.Thread(target=work) for _ in range(connections)]
        for thread in self.threads:
            thread.start()

    def done(self):
        return len(self.seen) + len(self.errors)

    def stop(self):
        """Ends the load when the current requests are done."""
        self.stopped = True
        self.join()

    def join(self):
        for thread in self.threads:
            thread.join()
