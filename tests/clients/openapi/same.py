"""Compares what generated clients read with what the server says: same.py URL OPENAPI REQUESTS NAME=FILE..."""

import json
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "hosts"))
from truth import lost  # noqa: E402 (its folder is named above)

url, document, requests, *files = sys.argv[1:]
with open(document, encoding="utf-8") as file:
    paths = json.loads(file.read().split("\n", 1)[1])["paths"]
operations = {about["get"]["operationId"]: path for path, about in paths.items()}
requests = json.load(open(requests, encoding="utf-8"))


def read(path):
    """A client's answers; what a clock said is the same with either sign of its zone."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return json.loads(text.replace('+00:00"', 'Z"')) if text else []


def plain(operation, arguments):
    """Status and body of a request without a generated client."""
    path, query = operations[operation], {}
    for key, value in arguments.items():
        if f"{{{key}}}" in path:
            path = path.replace(f"{{{key}}}", urllib.parse.quote(value, safe=""))
        else:
            query[key] = str(value).lower() if isinstance(value, bool) else value
    try:
        with urllib.request.urlopen(f"{url}{path}?{urllib.parse.urlencode(query, doseq=True)}") as answer:
            status, body = answer.status, answer.read().decode()
    except urllib.error.HTTPError as failed:
        status, body = failed.code, failed.read().decode()
    return status, body if operation.endswith("_csv") else json.loads(body)


never = {one["name"] for about in paths.values() for one in about["get"]["parameters"]} - {name for _, arguments in requests for name in arguments}
# A picture is for tools, and `format` is what the operation for CSV is for.
if never - {"agency", "chart", "claim", "format", "remote", "tag"}:
    sys.exit(f"no request has {sorted(never)}")
expected = [plain(*request) for request in requests]
wrong = sum(status != 200 for status, _ in expected) - 1
print(f"the server itself: {wrong + 1} of {len(requests)} fail, one on purpose")
for entry in files:
    name, path = entry.split("=", 1)
    answers = read(path)
    failures = [] if len(answers) == len(requests) else [f"{len(answers)} answers"]
    for request, (status, body), (got_status, got) in zip(requests, expected, answers):
        if status != got_status:
            failures.append(f"{request}: {got_status}, not {status}: {str(got)[:200]}")
        elif gone := [body] * (body != got) if isinstance(body, str) else lost(body, got):
            failures.append(f"{request}: lost {len(gone)}: {gone[:3]}")
    print(f"{name}: {len(requests) - len(failures)} of {len(requests)} requests sent and read whole")
    for failure in failures:
        print(f"    {failure}", file=sys.stderr)
    wrong += len(failures)
sys.exit(wrong != 0)
