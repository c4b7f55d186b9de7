-- The staging table of a layer's features that count, in the run's own schema. Unlogged, filled once by COPY.
create unlogged table stage_layer (
  row_no bigint not null,
  hash uuid not null,
  class text not null,
  extent box not null,
  geometry bytea not null
);
