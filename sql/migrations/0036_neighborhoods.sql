-- expanding: estimates include the price level of the neighborhood
-- What sales around the parcel say about its price per acre, and its share of the estimate, 0 to 1. The comps
-- share the rest. Null for estimates of older models, and with too few sales.
alter table valuations add column neighborhood_ppa double precision;
alter table valuations add column neighborhood_weight real;

-- The shore of the parcel that a comp is a sale of, which valuations adjust for.
alter table comp_land add column waterfront boolean;
