-- Lets no layer be merged until the transaction ends, so that a merge of parcels and one of a layer never miss each
-- other's rows: the later one sees, and marks, what the earlier one has committed.
lock table land_layers in share mode
