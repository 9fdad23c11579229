"""Shared by the scripts of this folder: a new start of the program over stdio."""
import json, os, subprocess, sys, tempfile


class Program:
    def __init__(self, binary, folder, *arguments, environment=None):
        os.makedirs(folder, exist_ok=True)
        self.home = tempfile.TemporaryDirectory(prefix="voice-", dir=folder)
        home = self.home.name
        command = [os.path.abspath(binary), "stdio", "--store", os.path.join(home, "store.db"), "--no-sync", *arguments]
        variables = {"HOME": home, "PATH": os.environ["PATH"], **(environment or {})}
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=variables)
        self.number = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "voice", "version": "1"}}
        self.instructions = self.ask("initialize", client)["result"].get("instructions", "")
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.number and "method" not in answer:
                return answer
        sys.exit("the program ended")

    def call(self, tool, arguments):
        """The text and the structure of a call, and whether it is an error."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result") or {"content": [{"text": answer["error"]["message"]}], "isError": True}
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        return text, result.get("structuredContent") or {}, result.get("isError", False)

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.home.cleanup()


def size(value):
    """Characters of a value as compact JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
