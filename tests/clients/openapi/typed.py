"""Writes a TypeScript program that sends every request through a generated client, for `tsc` to check and Node to run.

typed.py GENERATOR OPENAPI REQUESTS prints the program. The generators' files stand beside it: `schema.d.ts` of
openapi-typescript, the folder `hey-api`, and `orval.ts`.
"""

import json
import sys

generator, document, requests = sys.argv[1:4]
with open(document, encoding="utf-8") as file:
    # The first line is a comment, and the rest JSON.
    paths = json.loads(file.read().split("\n", 1)[1])["paths"]
operations = {about["get"]["operationId"]: (path, about["get"]) for path, about in paths.items()}


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def call(operation, arguments):
    """One request as the expression that a programmer would write."""
    path, about = operations[operation]
    in_path = {one["name"] for one in about["parameters"] if one["in"] == "path"}
    given = {"path": {key: value for key, value in arguments.items() if key in in_path},
             "query": {key: value for key, value in arguments.items() if key not in in_path}}
    as_code = lambda value: json.dumps(value, ensure_ascii=False)
    text = operation.endswith("_csv")
    if generator == "openapi-fetch":
        given = {key: value for key, value in given.items() if value}
        more = ', parseAs: "text"' if text else ""
        return f"api.GET({as_code(path)}, {{ params: {as_code(given)}{more} }})"
    if generator == "hey-api":
        given = {key: value for key, value in given.items() if value}
        more = ', "parseAs": "text"' if text else ""
        return f"api.{camel(operation)}({{ ...{as_code(given)}{more} }})"
    words = [as_code(value) for value in given["path"].values()] + [as_code(given["query"])] * any(one["in"] == "query" for one in about["parameters"])
    return f"api.{camel(operation)}({', '.join(words)})"


HEADS = {
    "openapi-fetch": 'import createClient from "openapi-fetch";\nimport type { paths } from "./schema";\nconst api = createClient<paths>({ baseUrl: url });',
    "hey-api": 'import * as api from "./hey-api";\nimport { client } from "./hey-api/client.gen";\nclient.setConfig({ baseUrl: url });',
    # Its functions ask for a path alone, as a page does for its own server.
    "orval": 'import * as api from "./orval";\nconst plain = globalThis.fetch;\nglobalThis.fetch = (path, more) => plain(new URL(String(path), url), more);',
}
READ = {"orval": "[one.status, one.data]"}
print("declare const process: { argv: string[] };\nconst url = process.argv[2] ?? '';")
print(HEADS[generator])
print("const answers: unknown[] = [];")
for operation, arguments in json.load(open(requests, encoding="utf-8")):
    print(f"{{ const one = await {call(operation, arguments)};\n  answers.push({READ.get(generator, '[one.response?.status, one.data ?? one.error]')}); }}")
print("console.log(JSON.stringify(answers));")
