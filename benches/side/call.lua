-- One call a request, each with its own id. Environment: ERA (legacy or modern), TOOL, ARGUMENTS, ENCODING, GET (a path),
-- NEW (the arguments are spaced as never before), ORIGIN (of a browser's page), SESSION.
local get, tool = os.getenv("GET"), os.getenv("TOOL")
local headers = { ["Content-Type"] = "application/json", ["Accept"] = "application/json, text/event-stream" }
local meta = ""
if os.getenv("ERA") == "modern" then
  headers["MCP-Protocol-Version"] = "2026-07-28"
  headers["Mcp-Method"] = "tools/call"
  headers["Mcp-Name"] = tool
  meta = ',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
    .. '"io.modelcontextprotocol/clientInfo":{"name":"wrk","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}'
else
  headers["MCP-Protocol-Version"] = "2025-06-18"
end
if os.getenv("ENCODING") then headers["Accept-Encoding"] = os.getenv("ENCODING") end
headers["Origin"], headers["Mcp-Session-Id"] = os.getenv("ORIGIN"), os.getenv("SESSION")
local head = '{"jsonrpc":"2.0","id":'
local opening = ',"method":"tools/call","params":{"name":"' .. (tool or "") .. '","arguments":'
local arguments = os.getenv("ARGUMENTS") or "{}"
local count = 0
-- Every run begins elsewhere, or the second would find what the first has asked.
local start = tonumber(os.getenv("START") or 0)
local function gap(places) return string.rep(" ", math.floor((start + count) / places) % 64) end
local function spaced()
  local inner = arguments:sub(2, -2):gsub(":", ":" .. gap(1), 1)
  return "{" .. gap(64) .. inner .. gap(4096) .. "}"
end
function request()
  if get then return wrk.format("GET", get, headers) end
  count = count + 1
  return wrk.format("POST", "/mcp", headers, head .. count .. opening .. (os.getenv("NEW") and spaced() or arguments) .. meta .. "}}")
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('JSON {"requests":%d,"microseconds":%d,"errors":%d,"p50":%.1f,"p99":%.1f}\n', summary.requests,
    summary.duration, e.status + e.connect + e.read + e.write + e.timeout, latency:percentile(50), latency:percentile(99)))
end
