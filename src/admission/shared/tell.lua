-- Brings into the counts what one replica knows: the greater of both, and what it granted alone (or gives back) on top.
-- KEYS: the use of addresses. ARGV: when they expire; for each of them three counts that are known, three to be added.
local names = {'daily', 'data', 'pages'}
for i, key in ipairs(KEYS) do
  local at = 1 + (i - 1) * 6
  for j, name in ipairs(names) do
    local known, more = tonumber(ARGV[at + j]), tonumber(ARGV[at + 3 + j])
    if known > 0 or more ~= 0 then
      local held = tonumber(redis.call('HGET', key, name) or '0')
      redis.call('HSET', key, name, math.max(math.max(held, known) + more, 0))
    end
  end
  redis.call('PEXPIREAT', key, ARGV[1])
end
return #KEYS
