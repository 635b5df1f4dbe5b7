"""A simulated forge on the loopback address: the comments of one pull request, in pages, behind a token."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Forge:
    """`comments` are the stored comments and `asked` the requests received. `status` is the error for every write, `login` the
    user of the token; if it is `None`, the user query is refused."""

    def __init__(self, token, login=None, status=None):
        self.token, self.login, self.status = token, login, status
        self.comments, self.asked = [], []
        forge = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                forge.answer(self, None)

            def do_POST(self):
                forge.answer(self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            do_PATCH = do_POST

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def add(self, login, body):
        self.comments.append({"id": 1000 + len(self.comments), "user": {"login": login}, "body": body})
        return self.comments[-1]

    def answer(self, request, body):
        self.asked.append((request.command, request.path))
        status, value, link = self.of(request, body)
        text = json.dumps(value).encode()
        request.send_response(status)
        if link:
            request.send_header("Link", link)
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        request.wfile.write(text)

    def of(self, request, body):
        """Status, answer, and the link to the next page."""
        if request.headers["Authorization"] != f"Bearer {self.token}":
            return 401, {"message": "Bad credentials"}, None
        path, _, query = request.path.partition("?")
        if path == "/user":
            return (200, {"login": self.login}, None) if self.login else (403, {"message": "not accessible"}, None)
        if request.command != "GET" and self.status:
            return self.status, {"message": "no"}, None
        if (request.command, path) == ("GET", "/repos/somebody/accountant/issues/7/comments"):
            # Two comments a page, so that there are several pages.
            page = int((re.search(r"\bpage=(\d+)", query) or [0, "1"])[1])
            more = f'<{self.address}{path}?page={page + 1}>; rel="next", <{self.address}{path}?page=9>; rel="last"'
            return 200, self.comments[2 * page - 2 : 2 * page], more if len(self.comments) > 2 * page else None
        if (request.command, path) == ("POST", "/repos/somebody/accountant/issues/7/comments"):
            return 201, self.add(self.login or "github-actions[bot]", body["body"]), None
        found = re.fullmatch("/repos/somebody/accountant/issues/comments/([0-9]+)", path)
        if request.command == "PATCH" and found:
            one = next(one for one in self.comments if one["id"] == int(found[1]))
            one["body"] = body["body"]
            return 200, one, None
        return 404, {"message": "Not Found"}, None
