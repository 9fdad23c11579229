#!/usr/bin/env python3
"""A name server on loopback that knows one name, `econoscope.test`, as 127.0.0.1.

    names.py ADDRESS
"""

import socket
import sys

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((sys.argv[1], 53))
print("listening", flush=True)
while True:
    asked, who = server.recvfrom(512)
    end = asked.index(b"\0", 12) + 5
    name, kind = asked[12 : end - 4], asked[end - 4 : end - 2]
    known = name == b"\x0aeconoscope\x04test\0"
    answer = b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\x7f\0\0\x01" if known and kind == b"\0\x01" else b""
    flags = b"\x81\x80" if known else b"\x81\x83"
    server.sendto(asked[:2] + flags + b"\0\x01" + (b"\0\x01" if answer else b"\0\0") + b"\0\0\0\0" + asked[12:end] + answer, who)
    print("asked", flush=True)
