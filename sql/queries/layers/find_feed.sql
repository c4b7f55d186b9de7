-- A feed that was run at least once.
-- $1 name text
-- Returns: id, kind
select id, kind
from feeds
where name = $1
