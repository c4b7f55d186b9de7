-- The counties that comps in a box are of: plat.valuation_box, as set_box.sql sets it.
select distinct l.fips
from listings l
where l.status <> 'OFF_MARKET' and l.fips is not null and l.location <@ current_setting('plat.valuation_box')::box
