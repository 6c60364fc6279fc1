#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An HTTPS collector on loopback that accepts every POST. It ends when its standard input ends.

usage: tls_server.py [--close] CERTIFICATE KEY [AUTHORITY]
With --close it closes each connection after one answer. With AUTHORITY, clients must present a
certificate issued by it. Prints its port and then, for each POST, the name in the client's
certificate ("nobody" without one) and the length of the body.
"""

import http.server
import socket
import ssl
import sys
import threading


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        subject = dict(pair[0] for pair in (self.connection.getpeercert() or {}).get("subject", ()))
        print(subject.get("commonName", "nobody"), len(body), flush=True)
        self.send_response(202)
        self.send_header("Content-Length", "0")
        if close:
            self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):  # failing handshakes are part of the tests
        pass

    def finish_request(self, request, client_address):  # on the connection's own thread
        raw = request.dup()
        try:
            with context.wrap_socket(request, server_side=True) as connection:
                super().finish_request(connection, client_address)
        except ssl.SSLError:  # otherwise unread bytes cause a reset and lose the alert
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(65536):
                pass


close = sys.argv[1] == "--close"
certificate, key, *authority = sys.argv[2 if close else 1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
if authority:
    context.load_verify_locations(authority[0])
    context.verify_mode = ssl.CERT_REQUIRED
server = Server(("127.0.0.1", 0), Collector)
server.daemon_threads = True
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
