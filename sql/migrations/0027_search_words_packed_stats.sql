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

-- Names of owners are looked for without regard to case and accents: MULLER finds MÜLLER. A name of ASCII alone, as nearly all are, is
-- not translated. Combining accents go.
create function fold_name(name text) returns text
language sql immutable parallel safe
return case
  when octet_length(name) = char_length(name) then upper(name)
  else upper(translate(
    name,
    'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭĮįİıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽž' || U&'\0300\0301\0302\0303\0304\0306\0307\0308\030a\030b\030c\0327\0328',
    'AAAAAACEEEEIIIINOOOOOOUUUUYaaaaaaceeeeiiiinoooooouuuuyyAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhIiIiIiIiIiJjKkLlLlLlLlNnNnNnOoOoOoRrRrRrSsSsSsSsTtTtUuUuUuUuUuUuWwYyYZzZzZz'
  ))
end;

truncate owner_words;
insert into owner_words (fips, word, serials)
select fips, word, string_agg(int4send(serial), '')
from (
  select p.fips, (p.property_id - p.fips * 100000000::bigint)::int as serial, left(w.word, 500) as word
  from parcels p
  cross join lateral string_to_table(fold_name(p.owner_name), ' ') w (word)
  where p.retired_at is null
) named
where word <> ''
group by fips, word;

-- Regions are found by their state (sullivan nh) and by codes without their leading zeros (8031), too.
alter table regions drop column search_words;
alter table regions add column search_words text not null generated always as (
  ' ' || regexp_replace(
    regexp_replace(
      lower(regexp_replace(
        normalize(code || ' ' || ltrim(code, '0') || ' ' || state || ' ' || county_name, NFD), '[\u0300-\u036f]', '', 'g'
      )),
      '[''’]', '', 'g'
    ),
    '[\s.,/()-]+', ' ', 'g'
  )
) stored;
create index regions_search_words on regions using gin (search_words gin_trgm_ops);
