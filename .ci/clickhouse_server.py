"""ClickHouse's own engine behind its HTTP interface, for the tests: `clickhouse_server.py PORT FOLDER`.

The engine is the real one (PyPI's `chdb` holds it): parsing, access in read-only mode, settings, table engines, system
tables, types, output formats, time limits, cancelling and messages are ClickHouse's. This file stands for what lies
between a socket and the engine, after the documentation of the HTTP interface:

- `POST /` with the statement as its body, `GET /?query=…`; `database`, `query_id`, `default_format`, `param_*`,
  `wait_end_of_query` in the address, and every other parameter a setting. They are checked against what the user may
  change and only then set, all at once, so that `readonly=1` may come together with others. GET reads only.
- One statement; `INTO OUTFILE` refused; exceptions by status and `X-ClickHouse-Exception-Code`, and those that come up
  behind the first rows as a tagged block at the end of a body that breaks off.
- `X-ClickHouse-Summary`, exact for statements with `wait_end_of_query=1`, zeros for the others, whose header leaves first.
- `GET /` and `/ping` answer `Ok.`; a client that goes away has its statement cancelled where
  `cancel_http_readonly_queries_on_client_close` says so.

What it does not stand for: users and grants. The embedded engine has one user, `default`, whom nothing is forbidden.
`CREATE USER name IDENTIFIED BY 'password' [SETTINGS readonly = N]` and `DROP USER name` are kept here, for log-ins and
for profiles that can't change settings; `GRANT` doesn't exist. Nor are there TLS, compression, sessions or replicas.
"""

import json
import re
import secrets
import select
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import chdb

# Parameters of the address that are no settings.
NOT_SETTINGS = {"query", "database", "query_id", "default_format", "wait_end_of_query", "user", "password"}
STATUS = {62: 400, 47: 404, 60: 404, 81: 404, 46: 404, 159: 408, 192: 403, 193: 403, 194: 401, 516: 403}
CREATE_USER = re.compile(r"CREATE USER (\w+) IDENTIFIED BY '([^']*)'(?: SETTINGS readonly = ([012]))?\s*$", re.I)
DROP_USER = re.compile(r"DROP USER (?:IF EXISTS )?(\w+)\s*$", re.I)
KILLED_ID = re.compile(r"\bquery_id\b", re.I)

users = {"default": ("", "0")}
folder = ""


class Refused(Exception):
    """An error that the server finds before the engine is asked."""


def literal(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def code_of(message):
    found = re.search(r"Code: (\d+)\.", message)
    return int(found.group(1)) if found else 1002


class Statement:
    """One statement on a connection of its own, which settings of others don't reach."""

    def __init__(self, parameters, user, text, method):
        self.text = text
        self.format = parameters.get("default_format", "TabSeparated")
        self.mark = parameters.get("query_id") or secrets.token_hex(8)
        self.connection = chdb.connect(folder)
        placeholders = {name: value for name, value in parameters.items() if name.startswith("param_")}
        settings = {name: value for name, value in parameters.items() if name not in NOT_SETTINGS | set(placeholders)}
        # The embedded engine names its queries itself; the comment is where ours are told by.
        self.set({**placeholders, "log_comment": self.mark})
        settings.pop("log_comment", None)
        profile = users[user][1]
        if profile != "0":
            self.set({"readonly": profile})
        elif method == "GET" and settings.get("readonly", "0") == "0":
            settings["readonly"] = "2"
        self.set(settings)
        self.reads_only = profile != "0" or settings.get("readonly", "0") != "0"
        self.cancels = settings.get("cancel_http_readonly_queries_on_client_close") == "1" and self.reads_only
        self.connection.query("USE `" + parameters.get("database", "default").replace("`", "``") + "`")
        self.check()

    def set(self, values):
        if values:
            pairs = ", ".join(f"{name} = {literal(value)}" for name, value in values.items())
            self.connection.query("SET " + pairs)

    def check(self):
        """What the HTTP interface refuses and the embedded engine, made for scripts, doesn't."""
        if not re.match(r"\s*INSERT\b", self.text, re.I):
            try:
                chdb.connect(folder).query("SELECT formatQuery(" + literal(self.text) + ")")
            except Exception as error:
                raise Refused(re.sub(r": In scope SELECT formatQuery.*(?= \()", "", str(error), flags=re.S)) from error
        if re.search(r"\bINTO\s+OUTFILE\b", self.text, re.I):
            raise Refused("Code: 358. DB::Exception: INTO OUTFILE is not allowed. (INTO_OUTFILE_NOT_ALLOWED)")
        if re.match(r"\s*KILL\b", self.text, re.I):
            self.text = KILLED_ID.sub("Settings['log_comment']", self.text)

    def gives_rows(self):
        return re.match(r"[\s(]*(SELECT|WITH|FROM)\b", self.text, re.I) is not None

    def cancel(self):
        try:
            kill = f"KILL QUERY WHERE Settings['log_comment'] = {literal(self.mark)} ASYNC"
            chdb.connect(folder).query(kill)
        except Exception as error:
            print("cancelling:", error, file=sys.stderr)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.answer("GET")

    def do_POST(self):
        self.answer("POST")

    def answer(self, method):
        address = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode(errors="replace")
        parameters = dict(parse_qsl(address.query, keep_blank_values=True))
        text = parameters.get("query", "") + body
        if method == "GET" and not text:
            return self.whole(200, b"Ok.\n", {})
        self.begun = False
        try:
            user = self.user(parameters)
            if self.manages_users(text, user):
                return self.whole(200, b"", {})
            statement = Statement(parameters, user, text, method)
            with Watched(self.connection, statement):
                if statement.gives_rows() and parameters.get("wait_end_of_query") != "1":
                    self.stream(statement)
                else:
                    self.at_once(statement)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        except Exception as error:
            try:
                self.fail(str(error).removeprefix("Streaming query failed: "))
            except OSError:
                self.close_connection = True

    def user(self, parameters):
        user = self.headers.get("X-ClickHouse-User") or parameters.get("user") or "default"
        password = self.headers.get("X-ClickHouse-Key") or parameters.get("password") or ""
        if users.get(user, (None,))[0] != password:
            raise Refused(
                f"Code: 516. DB::Exception: {user}: Authentication failed: password is incorrect, or there is no user "
                "with such name. (AUTHENTICATION_FAILED)"
            )
        return user

    def manages_users(self, text, user):
        made, dropped = CREATE_USER.match(text), DROP_USER.match(text)
        if user == "default" and made:
            users[made.group(1)] = (made.group(2), made.group(3) or "0")
        elif user == "default" and dropped:
            users.pop(dropped.group(1), None)
        else:
            return False
        return True

    def at_once(self, statement):
        result = statement.connection.query(statement.text, statement.format)
        self.whole(200, result.bytes() or b"", self.headers_of(statement, result.storage_rows_read()))

    def stream(self, statement):
        tag = secrets.token_hex(8)
        result = statement.connection.send_query(statement.text, statement.format)
        heading = b""
        try:
            while (chunk := result.fetch()) is not None:
                rows = chunk.bytes()
                if not rows:
                    break
                if not self.begun:
                    self.begin({**self.headers_of(statement, 0), "X-ClickHouse-Exception-Tag": tag})
                    if statement.format.endswith("WithNamesAndTypes"):
                        heading = b"".join(rows.splitlines(keepends=True)[:2])
                else:
                    # Each part of a stream begins with the names and the types again.
                    rows = rows.removeprefix(heading)
                self.part(rows)
        except (BrokenPipeError, ConnectionResetError):
            raise
        except Exception as error:
            if not self.begun:
                raise
            words = str(error).removeprefix("Streaming query failed: ").encode() + b"\n"
            block = b"\r\n__exception__\r\n" + tag.encode() + b"\r\n" + words
            self.part(block + f"{len(words)} {tag}\r\n__exception__\r\n".encode())
            self.close_connection = True
            return
        finally:
            result.close()
        if not self.begun:
            # A stream without rows says nothing at all; a result names its columns.
            self.at_once(statement)
        else:
            self.wfile.write(b"0\r\n\r\n")

    def headers_of(self, statement, rows_read):
        return {
            "X-ClickHouse-Query-Id": statement.mark,
            "X-ClickHouse-Format": statement.format,
            "X-ClickHouse-Summary": json.dumps({"read_rows": str(rows_read), "read_bytes": "0"}),
        }

    def begin(self, headers):
        self.begun = True
        self.send_response(200)
        for name, value in {**headers, "Transfer-Encoding": "chunked"}.items():
            self.send_header(name, value)
        self.end_headers()

    def part(self, rows):
        self.wfile.write(f"{len(rows):x}\r\n".encode() + rows + b"\r\n")
        self.wfile.flush()

    def whole(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def fail(self, message):
        code = code_of(message)
        version = f" (version {chdb.engine_version})\n"
        self.whole(STATUS.get(code, 500), (message + version).encode(), {"X-ClickHouse-Exception-Code": str(code)})


class Watched:
    """Cancels a statement whose client has gone away."""

    def __init__(self, client, statement):
        self.client, self.statement, self.over = client, statement, threading.Event()

    def __enter__(self):
        if self.statement.cancels:
            threading.Thread(target=self.watch, daemon=True).start()

    def __exit__(self, *_):
        self.over.set()

    def watch(self):
        while not self.over.wait(0.05):
            try:
                readable, _, _ = select.select([self.client], [], [], 0)
                gone = readable and not self.client.recv(1, socket.MSG_PEEK)
            except (OSError, ValueError):
                gone = True
            if gone:
                while not self.over.is_set():
                    self.statement.cancel()
                    time.sleep(0.2)
                return


def main():
    global folder
    port, folder = int(sys.argv[1]), sys.argv[2]
    # The first connection opens the folder; it is held for as long as the server runs.
    held = chdb.connect(folder)
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    try:
        server.serve_forever()
    finally:
        held.close()


main()
