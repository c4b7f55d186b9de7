-- The raw text of rows whose key had been seen before in their run: some of them will be set aside.
create unlogged table stage_raw (
  row_no bigint not null,
  raw text not null
);
