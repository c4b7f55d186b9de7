-- Keeps other merges of a feed out until the transaction ends; readers and other feeds do not notice.
-- $1 feed id int
select id
from feeds
where id = $1
for no key update
