"""Sends requests through a generated Python client: drive.py GENERATOR PACKAGE'S-FOLDER URL REQUESTS

GENERATOR is openapi-python-client or openapi-generator; what it read comes out as JSON, an entry for each request.
"""

import datetime
import enum
import importlib
import inspect
import json
import sys
import typing

generator, folder, url, requests = sys.argv[1:5]
sys.path.insert(0, folder)


def plain(name):
    return name.removeprefix("var_").replace("_", "").lower()


def named(function, arguments):
    """Arguments under the names, and with the kinds of values, that a generator gave them."""
    names = {plain(name): name for name in inspect.signature(function).parameters}
    hints = typing.get_type_hints(function)

    def value(name, given):
        kinds = [kind for kind in typing.get_args(hints.get(name)) if inspect.isclass(kind) and issubclass(kind, enum.Enum)]
        return kinds[0](given) if kinds else given
    return {names[plain(name)]: value(names[plain(name)], given) for name, given in arguments.items()}


def python_client(package):
    client = importlib.import_module(f"{package}.client").Client(base_url=url)

    def send(operation, arguments):
        function = importlib.import_module(f"{package}.api.macro.{operation}").sync_detailed
        answer = function(client=client, **named(function, arguments))
        return answer.status_code, answer.parsed if isinstance(answer.parsed, str) else answer.parsed.to_dict()
    return send


def generated(package):
    module = importlib.import_module(package)
    api = module.MacroApi(module.ApiClient(module.Configuration(host=url)))

    def send(operation, arguments):
        function = getattr(api, f"{operation}_with_http_info")
        try:
            answer = function(**named(function, arguments))
        except module.ApiException as failed:
            return failed.status, failed.data.to_dict()
        return answer.status_code, answer.data if isinstance(answer.data, str) else answer.data.to_dict()
    return send


def written(value):
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


send = {"openapi-python-client": python_client, "openapi-generator": generated}[generator]("client")
answers = []
for operation, arguments in json.load(open(requests, encoding="utf-8")):
    try:
        answers.append(send(operation, arguments))
    except Exception as error:  # Each request is tried; the comparison tells which failed.
        answers.append([0, f"{type(error).__name__}: {str(error)[:300]}"])
print(json.dumps(answers, default=written))
