"""Drives the eight tools over stdio and HTTP with the official Python MCP client, on imported data.

Usage: drive.py BINARY STORE HTTP_BASE [--imported]
With --imported the figures of the test data are checked; without, only that every tool answers.
"""

import asyncio
import json
import sys
import urllib.error
import urllib.request

from icalendar import Calendar
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

BINARY, STORE, BASE = sys.argv[1:4]
IMPORTED = "--imported" in sys.argv
CALLS = [
    ("get_macro_summary", {}),
    ("get_regime", {}),
    ("get_metric", {"ticker": "10y"}),
    ("get_signals", {}),
    ("get_time_series", {"seriesId": "UNRATE", "start": "2025-01-01", "end": "2026-07-31"}),
    ("list_scenarios", {"tag": "recession", "limit": 3}),
    ("search_glossary", {"q": "sahm rule", "limit": 3}),
    ("get_latest_articles", {}),
]
BAD = [
    ("get_metric", {"ticker": "DGS1O"}, "DGS10"),
    ("get_metric", {"ticker": "rates"}, "ambiguous"),
    ("get_time_series", {"seriesId": "DGS10", "start": "2026-13-01"}, "start"),
    ("get_time_series", {"seriesId": "DGS10", "start": "2026-05-01", "end": "2026-01-01"}, "after end"),
    ("search_glossary", {}, "q"),
    ("search_glossary", {"q": "x", "limit": 99}, "from 1 to 50"),
    ("list_scenarios", {"status": "dead"}, "active, paused"),
    ("get_regime", {"colour": "red"}, "is no argument"),
]
checks = 0


def check(ok, what):
    global checks
    checks += 1
    if not ok:
        raise SystemExit(f"FAILED: {what}")


async def drive(session, where):
    """All tools and all mistakes through one session; returns the structured answers."""
    listed = await session.list_tools()
    names = [t.name for t in listed.tools]
    for name, _ in CALLS:
        check(name in names, f"{where}: {name} is listed")
    answers = {}
    for name, arguments in CALLS:
        result = await session.call_tool(name, arguments)
        failed = getattr(result, "isError", None) or getattr(result, "is_error", None)
        check(not failed, f"{where}: {name} {result.content}")
        structured = getattr(result, "structuredContent", None) or getattr(result, "structured_content", None)
        check(structured, f"{where}: {name} has structured content")
        check(len(result.content[0].text) > 40, f"{where}: {name} has text")
        answers[name] = structured
    for name, arguments, said in BAD:
        result = await session.call_tool(name, arguments)
        failed = getattr(result, "isError", None) or getattr(result, "is_error", None)
        check(failed, f"{where}: {name} {arguments} is an error")
        check(said in result.content[0].text, f"{where}: {said!r} in {result.content[0].text!r}")
    return answers


def rows(table):
    """The rows of a table of a structure as dictionaries."""
    same = table.get("constant", {})
    return [{**same, **{n: v for n, v in zip(table["columns"], row) if v is not None}} for row in table["rows"]]


def get(path):
    with urllib.request.urlopen(BASE + path, timeout=10) as reply:
        return reply.read().decode()


def figures(answers):
    """What the imported figures must show (docs/METHODS.md#checks)."""
    s = answers["get_macro_summary"]
    check(s["recession_probability"] == 12.6, s)
    check(s["net_liquidity_trn"] == 5.792, s)
    check(s["dates"]["net_liquidity_trn"] == "2026-08-19", s)
    check(s["inflation"]["cpi_yoy_pct"] == 3.3 and s["dates"]["cpi_yoy_pct"] == "2026-07-01", s)
    scores = {"growth_score": 0.19, "inflation_score": 0.23}
    check(s["regime"] == {"current": "Reflation", "confidence": 80.0, "trajectory": "stable", **scores}, s)
    check(s["key_rates"]["10y"] == 4.69 and s["key_rates"]["2y"] == 4.19, s)
    check(s["key_rates"]["spread_2s10s_bps"] == 50 and s["key_rates"]["fed_funds"] == 3.63, s)
    for name, group in [("vix", "volatility"), ("hy_spread_bps", "credit")]:
        check(name not in s.get(group, {}) and name in s["notes"], f"{name}: left out with a reason")
    crai = [i for i in rows(answers["get_signals"]["convexIndices"]) if i["ticker"] == "CRAI"][0]
    check("value" not in crai and "50 %" in crai["interpretation"], crai)
    r = answers["get_regime"]
    check(r["regime"] == "REFLATION" and r["confidence"] == 80 and "transitionTarget" not in r, r)
    months = rows(answers["get_time_series"]["data"])
    check("2025-10-01" not in [row["date"] for row in months], "October 2025 is absent")
    check(months[-1] == {"date": "2026-07-01", "value": 4.1}, months[-1])


def rest():
    """The REST paths, their errors and the documents."""
    summary = json.loads(get("/api/public/macro-summary"))
    csv = get("/api/public/data/UNRATE?start=2026-01-01&end=2026-07-31&format=csv")
    check(csv.startswith("observation_date,UNRATE\n"), csv)
    for path in ["/.well-known/mcp.json", "/.well-known/openapi.yaml", "/llms.txt", "/health"]:
        check(len(get(path)) > 20, path)
    for path, status in [
        ("/api/public/metrics/NOPE123", 404),
        ("/api/public/glossary/search", 400),
        ("/api/public/data/DGS10?start=x", 400),
        ("/nowhere", 404),
    ]:
        try:
            get(path)
            check(False, f"{path} must fail")
        except urllib.error.HTTPError as error:
            body = json.loads(error.read())
            check(error.code == status and "error" in body, (path, error.code, body))
            check(path != "/api/public/metrics/NOPE123" or body["ticker"] == "NOPE123", body)
    return summary


def calendars():
    """The calendars, read by a strict parser of others; what a condition adds to one is on one line."""
    names = ["/calendar.ics", "/alerts.ics?condition=UNRATE%20%3E%204.5", "/alerts.ics?condition=ma(UNRATE,3)%20%3E%204.5"]
    hostile = ["%0AATTENDEE:x", "%0D%0AX-A:b", "%0B", "%00", "%E2%80%AE", "%3B%5C%2C"]
    for path in names + [names[1] + end for end in hostile]:
        try:
            text = get(path)
        except urllib.error.HTTPError as error:
            check(path not in names and error.code == 400, (path, error.code))
            continue
        calendar = Calendar.from_ical(text)
        events = calendar.walk("VEVENT")
        broken = [event.errors for event in events if event.errors]
        check(not calendar.errors and not broken, (path, calendar.errors, broken))
        ids = [str(event["UID"]) for event in events]
        whole = all(event.get("DTSTART") and event.get("SUMMARY") for event in events)
        check(whole and len(ids) == len(set(ids)), (path, ids))
        lines = text.split("\r\n")
        # 75 octets are recommended; the library folds to 75 and the blank in front.
        odd = [line for line in lines if len(line.encode()) > 76 or any(c in line for c in "\n\r\v\0\u202e")]
        check(not odd and lines[-1] == "", (path, odd))
        check(path != "/calendar.ics" or len(events) > 20, (path, len(events)))


async def main():
    arguments = ["--store", STORE]
    async with stdio_client(StdioServerParameters(command=BINARY, args=arguments)) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            by_stdio = await drive(session, "stdio")
    async with streamable_http_client(BASE + "/mcp") as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            by_http = await drive(session, "http")
    if IMPORTED:
        figures(by_stdio)
        figures(by_http)
    same = rest()
    calendars()
    for answers in (by_stdio, by_http):
        ours = dict(answers["get_macro_summary"])
        check(ours["key_rates"] == same["key_rates"] and ours["regime"] == same["regime"], "all edges agree")
    print(f"{checks} passed, 0 failed")


asyncio.run(main())
