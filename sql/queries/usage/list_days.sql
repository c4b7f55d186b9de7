-- What an account used in a period by UTC day, endpoint and mode.
-- $1 account id, $2 start of the period to the millisecond
select day as date, endpoint, mode, tokens, calls from usage_daily
where account_id = $1 and period_start >= $2 and period_start < $2::timestamptz + interval '1 ms'
order by day, endpoint, mode;
