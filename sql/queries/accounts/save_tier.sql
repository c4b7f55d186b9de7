-- Makes or changes a tier. Contracts that were made keep their tokens and price; whether REST is included is read from here.
-- $1 name, $2 tokens included, $3 US cents for 1,000 tokens of overage, $4 whether keys may call REST (null: as it is), $5 who
insert into tiers as t (name, tokens_included, overage_cents_per_1000, direct)
select $1, coalesce($2, old.tokens_included, 0), coalesce($3, old.overage_cents_per_1000, 0), coalesce($4, old.direct, true)
from set_config('plat.actor', $5, true) as actor
left join tiers old on old.name = $1
on conflict (name) do update set (tokens_included, overage_cents_per_1000, direct)
  = (excluded.tokens_included, excluded.overage_cents_per_1000, excluded.direct)
returning name, tokens_included, overage_cents_per_1000, direct;
