-- The counties that a run's rows name.
-- Returns: fips
select fips from stage_roll
union
select fips from stage_shape
order by fips
