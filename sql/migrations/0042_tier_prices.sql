-- expanding: tiers have a price per period
-- US cents per period, shown to the accounts of the tier. Null if the operator doesn't show a price.
alter table tiers add column price_cents integer check (price_cents >= 0);
