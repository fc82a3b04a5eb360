"""The HTTP side of a scripted model."""

import json
import select
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from context_strategies.testing.wire import as_stream

MAX_BODY = 64_000_000
"""Bytes; what comes after is not read."""

Answer = Callable[[Mapping[str, Any]], tuple[int, Mapping[str, Any]]]


class Endpoint(ThreadingHTTPServer):
    """Passes each chat request to ``answer`` and sends back the status and response.

    An empty response leaves the client waiting; it is let go when ``stopped`` is set.
    """

    daemon_threads = True

    def __init__(self, port: int, answer: Answer) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answer = answer
        self.stopped = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint
    timeout = 60

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Print nothing."""

    def do_GET(self) -> None:
        self._send(HTTPStatus.OK, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        body = self._body()
        if body is None:
            self._send(HTTPStatus.BAD_REQUEST, {"error": {"message": "no JSON object with a list of messages"}})
            return
        status, response = self.server.answer(body)
        if not response:
            self._wait()
        elif body.get("stream") and status == HTTPStatus.OK:
            self._write(status, "text/event-stream", as_stream(response))
        else:
            self._send(status, response)

    def _body(self) -> dict[str, Any] | None:
        try:
            body = json.loads(self.rfile.read(min(int(self.headers["Content-Length"]), MAX_BODY)))
        except (ValueError, TypeError):
            return None
        messages = body.get("messages") if isinstance(body, dict) else None
        valid = isinstance(messages, list) and all(isinstance(message, dict) for message in messages)
        return body if valid else None

    def _wait(self) -> None:
        """Hold the connection until the client goes away or the server stops."""
        while not self.server.stopped.wait(0.05):
            readable, _, _ = select.select([self.connection], [], [], 0)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                return

    def _send(self, status: int, response: Mapping[str, Any]) -> None:
        self._write(status, "application/json", json.dumps(response).encode())

    def _write(self, status: int, content_type: str, data: bytes) -> None:
        with suppress(ConnectionError):  # a client may have given up waiting
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
