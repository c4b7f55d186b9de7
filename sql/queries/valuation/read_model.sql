-- The model that was fitted last.
-- $1 when the one was fitted that is at hand text, or null
-- Returns: as_of, fitted_at, parameters (null for the one at hand)
select
  to_char(as_of, 'YYYY-MM-DD') as as_of, fitted_at::text as fitted_at,
  case when fitted_at::text is distinct from $1::text then parameters end as parameters
from valuation_model
