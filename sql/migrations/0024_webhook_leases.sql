-- Until when nobody else takes a delivery. No index has it, so that taking one writes to none, as long as its
-- page has room for another version.
alter table webhook_deliveries add column leased_until timestamptz;
alter table webhook_deliveries set (fillfactor = 50);
