"""A proxy before a bucket that refuses writes as a bucket does that forbids or is full."""
import http.client
import http.server
import threading

FORBIDDEN, FULL = 403, 507


class Listener(http.server.ThreadingHTTPServer):
    """A server whose clients may leave in the midst."""

    def handle_error(self, *_: object) -> None:
        """Says nothing."""


class Proxy:
    """Hands requests on to a port of this machine, but answers writes with `status` while it is set."""

    def __init__(self, port: int):
        self.status: int | None = None
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """One connection."""

            protocol_version = "HTTP/1.1"

            def hand_on(self) -> None:
                """Answers a request."""
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if proxy.status and self.command in ("PUT", "POST"):
                    return self.answer(proxy.status, [], b"<Error><Code>Refused</Code></Error>")
                connection = http.client.HTTPConnection("127.0.0.1", port)
                connection.request(self.command, self.path, body, dict(self.headers))
                found = connection.getresponse()
                content = found.read()
                headers = [(name, value) for name, value in found.getheaders()
                           if name.lower() not in ("content-length", "transfer-encoding", "connection")]
                length = found.getheader("Content-Length") if self.command == "HEAD" else str(len(content))
                self.answer(found.status, [*headers, ("Content-Length", length or "0")], content)
                return connection.close()

            def answer(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
                """Sends an answer."""
                self.send_response_only(status)
                if not headers:
                    headers = [("Content-Length", str(len(content)))]
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = hand_on  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self.server = Listener(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        """Ends it."""
        self.server.shutdown()
        self.server.server_close()
