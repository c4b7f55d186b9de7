-- What an account used in a period by UTC day, endpoint and mode, in the order of the primary key.
-- $1 account id, $2 start of the period
select day as date, endpoint, mode, tokens, calls from usage_daily
where account_id = $1 and period_start = $2
order by day, endpoint, mode;
