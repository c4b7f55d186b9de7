-- Whether there is any land layer to compute from.
select exists (select from land_layers) as present
