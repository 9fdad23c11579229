-- Checks the whole cost of a request, then charges all of it or nothing.
-- KEYS: the usage of the address; the day. ARGV: the day as the caller knows it (number and salt); a salt for a day that has
-- none, or ""; the name of the daily allowance, or ""; its limit; the cost of a request of a burst in milliseconds, or 0; the
-- maximum debt.
-- Returns: the decision (0 charged, 1 too many at once, 2 the day is exhausted, 3 another day or salt); the time; the count;
-- milliseconds to wait; the day, or "" if it has no salt yet.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local number = math.floor(now / 86400000)
local day = redis.call('GET', KEYS[2]) or ''
if tonumber(string.match(day, '^%d+')) ~= number then
  day = ARGV[2] ~= '' and string.format('%d %s', number, ARGV[2]) or ''
end
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], day, 'PXAT', (number + 1) * 86400000 + 3600000) end
if day ~= ARGV[1] then return {3, now, 0, 0, day} end
local name, limit, cost, max = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local usage = redis.call('HMGET', KEYS[1], 'burst', name)
local debt = math.min(math.max(tonumber(usage[1] or '0') - now, 0), max) + cost
if debt > max then return {1, now, 0, debt - max, day} end
local count = tonumber(usage[2] or '0')
if name ~= '' then
  if count >= limit then return {2, now, count, 0, day} end
  count = count + 1
  redis.call('HSET', KEYS[1], name, count)
end
if cost > 0 then redis.call('HSET', KEYS[1], 'burst', now + debt) end
redis.call('PEXPIREAT', KEYS[1], (number + 1) * 86400000 + 3600000)
return {0, now, count, 0, day}
