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
