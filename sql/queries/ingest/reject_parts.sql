-- Rejects the geometry of features that could not be united with the first of their parcel.
-- $1 run id bigint, $2 input text, $3 row numbers bigint[], $4 key text
insert into run_rejects (run_id, input, row_no, field, reason, message, raw)
select
  $1, $2, row_no, 'geometry', 'geometry_not_united',
  format('The geometry cannot be united with that of the first feature of key %s, which stands for the parcel.', $4::text),
  json_build_object('key', $4::text)::text
from unnest($3::bigint[]) as row_no
