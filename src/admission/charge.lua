-- Checks the whole cost of a request, then charges all of it or nothing.
-- KEYS: the prefix of all keys. ARGV: a secret of the calling server; the address; the name of the daily allowance, or "";
-- its limit; 1 to charge the allowance, -1 to give one request back; the cost of a request of a burst in milliseconds, or 0;
-- the maximum debt.
-- Returns: the decision (0 charged, 1 too many at once, 2 the day is exhausted); the time; the count; milliseconds to wait.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local number = math.floor(now / 86400000)
local ends = (number + 1) * 86400000 + 3600000
-- The first server of a day makes the salt of its hashes. No address is stored.
local day = KEYS[1] .. ':' .. number
redis.call('SET', day, redis.sha1hex(ARGV[1] .. number), 'NX', 'PXAT', ends)
local key = day .. ':' .. redis.sha1hex(redis.call('GET', day) .. ARGV[2])
local name, limit, amount = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local cost, max = tonumber(ARGV[6]), tonumber(ARGV[7])
local usage = redis.call('HMGET', key, 'burst', name)
local debt = math.min(math.max(tonumber(usage[1] or '0') - now, 0), max) + cost
if debt > max then return {1, now, 0, debt - max} end
local count = tonumber(usage[2] or '0')
if name ~= '' then
  if amount > 0 and count >= limit then return {2, now, count, 0} end
  count = math.max(count + amount, 0)
  redis.call('HSET', key, name, count)
end
if cost > 0 then redis.call('HSET', key, 'burst', now + debt) end
redis.call('PEXPIREAT', key, ends)
return {0, now, count, 0}
