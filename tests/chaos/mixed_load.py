"""What an honest client asks, in the soaks: tools, methods, endpoints, what must be computed, pages and pictures."""
import pathlib, sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "hunt"))
from request import Request, rpc

SERIES = ["DGS10", "UNRATE", "CPIAUCSL", "DFF", "ICSA", "T10Y2Y", "10y", "unemployment", "SERVICE_CRPI", "CNLI"]
TOOLS = [("get_macro_summary", {}), ("get_regime", {}), ("get_signals", {}), ("get_latest_articles", {}),
         ("list_scenarios", {"limit": 5}), ("get_metric", {"ticker": "DGS10"}),
         ("get_time_series", {"seriesId": "UNRATE", "start": "5y"}), ("search", {"query": "net liquidity"}),
         ("search_glossary", {"q": "yield curve"}), ("search_series", {"query": "core inflation"}), ("fetch", {"id": "term:sahm-rule"}),
         ("compare_series", {"series": ["DGS10", "DGS2"]}), ("explain_indicator", {"indicator": "CRPI"}), ("what_changed", {"since": "30d"})]
METHODS = [("tools/list", {}), ("resources/list", {}), ("prompts/list", {}), ("resources/read", {"uri": "macro://summary"}),
           ("resources/read", {"uri": "macro://series/DGS10"}), ("prompts/get", {"name": "morning_brief"})]
PATHS = ["macro-summary", "regime", "signals", "scenarios", "content/latest", "glossary/search?q=sahm", "series/search?query=inflation",
         "metrics/{name}", "metrics/{name}", "search?query=recession", "what-changed?since=30d", "explain/CNLI"]
COMPUTED = ["data/{name}?start={day}", "data/DGS10?start={day}&format=csv", "regime?as_of={day}",
            "compare?series=DGS10,UNRATE&start={day}&end=2026-01-01"]
PAGES = ["/", "/calendar", "/calendar.ics", "/series", "/series/DGS10", "/methods", "/glossary", "/glossary/sahm-rule", "/scenarios", "/articles",
         "/chart/DGS10.png", "/chart/UNRATE.svg",
         "/widget/regime", "/widget/recession", "/widget/metric/DGS10", "/llms.txt", "/sitemap.xml", "/.well-known/openapi.yaml", "/health", "/ready"]


def question(rng):
    """One request, chosen by `rng`."""
    words = {"name": rng.choice(SERIES), "day": f"{rng.randrange(1990, 2025)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"}
    encoding = {"accept-encoding": rng.choice(["gzip", "zstd", "identity"])}
    pick = rng.random()
    if pick < 0.35:
        tool, given = rng.choice(TOOLS)
        return rpc("tools/call", {"name": tool, "arguments": given}, rng.random() < 0.5)
    if pick < 0.45:
        return rpc(*rng.choice(METHODS), rng.random() < 0.5)
    if pick < 0.7:
        return Request(rng.choice(["GET", "GET", "GET", "HEAD"]), "/api/public/" + rng.choice(PATHS).format(**words), None, encoding)
    if pick < 0.85:
        return Request("GET", "/api/public/" + rng.choice(COMPUTED).format(**words), None, encoding)
    return Request("GET", rng.choice(PAGES), None, encoding)
