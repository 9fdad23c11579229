-- One replica is there. KEYS: the replicas; the marks of today and tomorrow.
-- ARGV: the replica; the present; how long one that is silent is remembered; a mark for each day that has none.
-- Gives: how many replicas there are; both marks.
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2] - ARGV[3])
redis.call('PEXPIRE', KEYS[1], 86400000)
for i = 2, 3 do
  if redis.call('SETNX', KEYS[i], ARGV[i + 2]) == 1 then redis.call('PEXPIRE', KEYS[i], 3 * 86400000) end
end
return {redis.call('ZCARD', KEYS[1]), redis.call('GET', KEYS[2]), redis.call('GET', KEYS[3])}
