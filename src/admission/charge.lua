-- Checks all that one request costs, then charges all of it or nothing.
-- KEYS: usage of the address; the day. ARGV: the day as the caller knows it, its number and the key of its hashes; such a
-- key for a day that has none, or nothing; the allowance that pays, or none; its limit; milliseconds that a request of a
-- burst costs, or 0; how many may be owed.
-- Returns: 0 charged, 1 too many at once, 2 the day is used up, 3 another day or another key; the time; the
-- count; milliseconds to wait; the day, or nothing where it has no key yet.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local day = math.floor(now / 86400000)
local there = redis.call('GET', KEYS[2]) or ''
if tonumber(string.match(there, '^%d+')) ~= day then
  there = ARGV[2] ~= '' and string.format('%d %s', day, ARGV[2]) or ''
end
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], there, 'PXAT', (day + 1) * 86400000 + 3600000) end
if there ~= ARGV[1] then return {3, now, 0, 0, there} end
local name, limit, cost, max = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local used = redis.call('HMGET', KEYS[1], 'burst', name)
local owed = math.min(math.max(tonumber(used[1] or '0') - now, 0), max) + cost
if owed > max then return {1, now, 0, owed - max, there} end
local count = tonumber(used[2] or '0')
if name ~= '' then
  if count >= limit then return {2, now, count, 0, there} end
  count = count + 1
  redis.call('HSET', KEYS[1], name, count)
end
if cost > 0 then redis.call('HSET', KEYS[1], 'burst', now + owed) end
redis.call('PEXPIREAT', KEYS[1], (day + 1) * 86400000 + 3600000)
return {0, now, count, 0, there}
