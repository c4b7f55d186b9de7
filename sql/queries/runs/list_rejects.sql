-- Rows and values that a run could not use, the first of every reason.
-- $1 run id bigint, $2 reason text (null for all), $3 limit int
-- Returns: input, row_no, field, reason, message, raw
select input, row_no, field, reason, message, raw
from run_rejects
where run_id = $1 and ($2::text is null or reason = $2)
order by reason, input, row_no
limit $3
