-- Puts the united boundaries in the place of their parts.
with parts as (
  delete from stage_shape s
  using stage_united u
  where s.fips = u.fips and s.key = u.key
)
insert into stage_shape
select *
from stage_united
