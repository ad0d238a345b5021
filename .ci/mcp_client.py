"""Talks to `periplus serve` with the protocol's own Python client, over stdio: lists the tools, calls each of them.

usage: mcp_client.py BINARY PROJECT_FOLDER (a project made by `periplus demo`)
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters

TOOL_BUDGET = 2000  # tokens for all tool definitions together, at four characters a token

CALLS = [
    ("list_tables", {}, None),
    ("list_tables", {"question": "How many customers are there in the USA?"}, None),
    ("describe_table", {"table": "customers"}, None),
    ("get_join_info", {"tables": ["orders", "customers"]}, None),
    ("search_context", {"query": "subscription plan price"}, None),
    ("validate_query", {"sql": "SELECT nam FROM customers"}, None),
    ("read_query", {"sql": "SELECT count(*) FROM customers"}, None),
    ("submit_query", {"sql": "SELECT count(*) FROM customers", "question": "How many customers are there?"}, None),
    ("read_query", {"sql": "DELETE FROM customers"}, "not_a_query"),
    ("describe_table", {"table": "no_such_table"}, "code"),
]


async def use(server: StdioServerParameters | str, mode: str = "auto") -> None:
    """Lists and calls the tools of a server: one to start, or the address of one that runs."""
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        named = {tool.name for tool in tools}
        wanted = {name for name, _, _ in CALLS}
        assert wanted <= named, f"missing tools: {wanted - named}"
        size = len(json.dumps([tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools]))
        assert size / 4 < TOOL_BUDGET, f"tool definitions take {size / 4:.0f} tokens"
        print(f"{len(tools)} tools, {size / 4:.0f} tokens, protocol {client.protocol_version}")
        for name, arguments, error in CALLS:
            result = await client.call_tool(name, arguments)
            text = "\n".join(block.text for block in result.content if block.type == "text")
            assert bool(result.is_error) == (error is not None), f"{name} {arguments}: {text}"
            if error is not None:
                assert error in text, f"{name} {arguments}: {text}"
            else:
                assert text, f"{name} {arguments}: no text"
            print(f"{name} {json.dumps(arguments)}: {len(text)} characters, error {bool(result.is_error)}")



if __name__ == "__main__":
    binary, project = sys.argv[1:]
    asyncio.run(use(StdioServerParameters(command=binary, args=["serve", "--project", project])))
