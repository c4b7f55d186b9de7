-- Features that repeat another one of the run in class and geometry: the first is kept.
-- Returns: identical
with ranked as (
  select ctid as place, row_number() over (partition by hash order by row_no) as n
  from stage_layer
),
removed as (
  delete from stage_layer s
  using ranked
  where s.ctid = ranked.place and ranked.n > 1
  returning 1
)
select count(*)::int as identical
from removed
