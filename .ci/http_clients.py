"""Talks to `periplus serve --http` as others' programs do: the protocol's clients in Python and TypeScript, its conformance
suite, and a program that makes requests from the OpenAPI document.

usage: http_clients.py BINARY PROJECT_FOLDER NODE NODE_MODULES CHROMIUM (a project made by `periplus demo`)
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from mcp import Client

import mcp_client

# What a server without tools made for the suite has to pass, by the version of the protocol.
SCENARIOS = {
    "2025-11-25": [
        "server-initialize",
        "ping",
        "tools-list",
        "dns-rebinding-protection",
        "server-session-lifecycle",
        "server-sse-multiple-streams",
        "server-sse-polling",
    ],
    "2026-07-28": [
        "tools-list",
        "dns-rebinding-protection",
        "server-sse-multiple-streams",
        "http-header-validation",
        "sep-2164-resource-not-found",
        "input-required-result-unsupported-methods",
        "input-required-result-ignore-extra-params",
    ],
}

# Counts every pair of the shop's orders: a minute's work.
LONG = "SELECT count(*) AS pairs FROM orders a, orders b WHERE a.id % 7 < b.id % 7"


class Model(BaseHTTPRequestHandler):
    """An endpoint as OpenAI has it, whose model writes one statement."""

    STATEMENT = "SELECT count(*) AS n FROM customers WHERE country_code = 'US'"

    def log_message(self, *arguments: object) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": f"```sql\n{self.STATEMENT}\n```"}
        body = json.dumps({
            "id": "1", "object": "chat.completion", "created": 1, "model": "same",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def served(binary: str, project: str) -> tuple[subprocess.Popen, str]:
    """A server on a free port, and its address."""
    command = [binary, "serve", "--project", project, "--http", "127.0.0.1:0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    for line in server.stderr:
        if line.startswith("MCP at "):
            return server, line.split()[2].removesuffix("/mcp")
    raise SystemExit("the server didn't begin to listen")


async def cancels(address: str, mode: str) -> None:
    """Gives a call up, and hears of its progress until then."""
    async with Client(f"{address}/mcp", mode=mode) as client:
        heard = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            heard.append(message)

        call = asyncio.create_task(client.call_tool("read_query", {"sql": LONG}, progress_callback=hear))
        await asyncio.sleep(3)
        call.cancel()
        try:
            result = await call
            raise SystemExit(f"the call wasn't given up: {result}")
        except asyncio.CancelledError:
            pass
        assert heard, "nothing was heard of its progress"
        result = await client.call_tool("read_query", {"sql": "SELECT 1 AS one"})
        assert result.structured_content["rows"] == [[1]], result


def is_idle(server: subprocess.Popen) -> bool:
    """Whether a process uses next to no processor time for a second."""

    def ticks() -> int:
        fields = Path(f"/proc/{server.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    before = ticks()
    time.sleep(1)
    return ticks() - before < os.sysconf("SC_CLK_TCK") // 5


def run(*command: str, **options: object) -> str:
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-8000:]}")
    return done.stdout


def ended(server: subprocess.Popen) -> None:
    """Stops a server, as a service manager does."""
    server.terminate()
    began = time.monotonic()
    server.wait(timeout=20)
    assert server.returncode == 0, f"the server ended with {server.returncode}"
    assert time.monotonic() - began < 5, "the server took long to end"


def main(binary: str, project: str, node: str, modules: str, chromium: str) -> None:
    server, address = served(binary, project)
    try:
        for mode in ["auto", "legacy"]:
            asyncio.run(mcp_client.use(f"{address}/mcp", mode))
            asyncio.run(cancels(address, mode))
            assert is_idle(server), "what was given up goes on"
        print(run(node, str(Path(__file__).with_name("http_client.mjs")), address, modules))
        suite = f"{modules}/@modelcontextprotocol/conformance/dist/index.js"
        for version, scenarios in SCENARIOS.items():
            for scenario in scenarios:
                chosen = ["--spec-version", version, "--scenario", scenario]
                run(node, suite, "server", "--url", f"{address}/mcp", *chosen)
                print(f"{version} {scenario}: passed")
        schemathesis = str(Path(sys.executable).with_name("schemathesis"))
        checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
        print(
            run(
                schemathesis, "run", f"{address}/api/v1/openapi.json", "--url", address, "--checks", checks,
                "--max-examples", "30", "--seed", "1", "--rate-limit", "500/m", "--no-color",
                cwd=project,
            )[-1500:]
        )
    finally:
        ended(server)
    # The page, where everybody needs a token, with a model that always writes the same.
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with Path(project, "periplus.toml").open("a") as configuration:
        configuration.write("\n[serve.http]\nrequire_token = true\n")
        configuration.write('\n[model]\nprovider = "openai"\nname = "same"\nsmall = true\n')
        configuration.write(f'base_url = "http://127.0.0.1:{model.server_port}/v1"\n')
    token = [binary, "--project", project, "token", "create", "--name", "page", "--role", "admin"]
    token = subprocess.run(token, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    server, address = served(binary, project)
    try:
        print(run(node, str(Path(__file__).with_name("page.mjs")), address, modules, chromium, token))
    finally:
        ended(server)


if __name__ == "__main__":
    main(*sys.argv[1:])
