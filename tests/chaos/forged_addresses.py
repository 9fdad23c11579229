#!/usr/bin/env python3
"""Forged X-Forwarded-For, X-Real-IP and Forwarded through a trusted proxy: none escapes the daily limit."""
import pathlib, tempfile
from common import Server, arguments, imported, result
import http.client

given = arguments(__doc__, requests=(10000, 1000, "forged requests"))
with tempfile.TemporaryDirectory() as folder:
    server = Server(given, imported(given, folder), "--trusted-proxy", "127.0.0.1/32",
                    "--rate-limit-burst", "100000", "--rate-limit-per-second", "1000")
    connection, admitted, refused = http.client.HTTPConnection("127.0.0.1", server.port), 0, 0
    for i in range(given.requests):
        fake = f"198.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}"
        line = [f"{fake}, 203.0.113.9", f"{fake},{fake}, ::ffff:203.0.113.9", f"127.0.0.1, {fake}, 203.0.113.9:{i % 60000}",
                f"garbage, [2001:db8::{i:x}]:1, 203.0.113.9"][i % 4]
        connection.request("GET", "/api/public/regime", headers={
            "x-forwarded-for": line, "x-real-ip": fake, "forwarded": f"for={fake}", "cf-connecting-ip": fake})
        answer = connection.getresponse()
        answer.read()
        admitted += answer.status == 200
        refused += answer.status == 429
    assert admitted == 100 and admitted + refused == given.requests, (admitted, refused)
    v6 = 0
    for i in range(300):
        connection.request("GET", "/api/public/regime", headers={"x-forwarded-for": f"2001:db8:1:2:{i:x}::1"})
        answer = connection.getresponse()
        answer.read()
        v6 += answer.status == 200
    assert v6 == 100, v6
    result("forged addresses", requests=given.requests, admitted=admitted, escaped=0, one_ipv6_network_admitted=v6)
    assert server.stop() == 0
