-- The tiers and the terms of new contracts. No parameters.
select name, tokens_included, overage_cents_per_1000, direct from tiers order by tokens_included, name;
