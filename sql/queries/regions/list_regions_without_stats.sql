-- Codes of the regions that have no stored response.
select r.type || ':' || r.code as key
from regions r
where not exists (select from region_stats s where s.type = r.type and s.code = r.code);
