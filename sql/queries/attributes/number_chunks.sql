-- Numbers for new chunks, ascending.
-- $1 how many int
select nextval('attributes_chunks') as chunk
from generate_series(1, $1)
