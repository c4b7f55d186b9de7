-- Opens a period. $1 account id, $2 start
insert into usage_periods (account_id, period_start) values ($1, $2)
on conflict (account_id, period_start) do nothing;
