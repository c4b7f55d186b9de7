-- Responses of market statistics as compressed by brotli, made when one is first asked for. One whose etag is no longer that of
-- region_stats is of an earlier response.
create table packed_stats (
  type text not null,
  code text not null,
  etag text not null,
  body bytea not null,
  primary key (type, code)
);

-- Compressed already.
alter table packed_stats alter column body set storage external;
