-- Whether the regions in the database are those of this program: one digest of all rows in the order of (type, code), and
-- how many have no row in region_stats.
select
  count(*)::int as regions,
  count(*) filter (where s.code is null)::int as without_stats,
  coalesce(
    md5(string_agg(concat_ws(E'\t', r.id, r.type, r.code, r.name, r.state, r.county_name, r.fips), E'\n'
      order by r.type collate "C", r.code collate "C")),
    md5('')
  ) as digest
from regions r
left join region_stats s using (type, code);
