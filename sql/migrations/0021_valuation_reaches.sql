-- How far a comp can be from the parcels of a county and still change the valuation of one, cell by cell of the county's
-- extent, as shared/kernels/valuation/reach-grid.ts packs it. Of a county that was valued before: one cell.
alter table valuation_counties add column reaches bytea;

update valuation_counties set reaches = float4send(reach_m::real);

alter table valuation_counties alter column reaches set not null;
