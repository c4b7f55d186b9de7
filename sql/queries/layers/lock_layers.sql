-- Lets one merge of a layer at a time be under way, and none of parcels, until the transaction ends: what a layer marks
-- depends on how far the others reach. For use before anything is written.
lock table land_layers in share row exclusive mode
