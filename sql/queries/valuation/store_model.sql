-- Replaces the model.
-- $1 as-of day date, $2 parameters jsonb
insert into valuation_model (as_of, parameters, fitted_at)
values ($1, $2, clock_timestamp())
on conflict (only_row) do update
set as_of = excluded.as_of, parameters = excluded.parameters, fitted_at = excluded.fitted_at
