-- What parcels are worth by the sales around them, as it is answered; null figures where no relevant comps were found, no
-- row for a parcel that is unknown or has left the roll.
-- $1 fips int[], $2 property ids bigint[], each once; $3 whether the comps are wanted boolean
select
  p.property_id, v.mean_price, v.mean_ppa, v.mean_adjusted_price, v.mean_adjusted_ppa, v.confidence_score, v.gini_index,
  v.low_price, v.high_price, v.out_of_support, case when $3::boolean then v.comps end as comps, to_char(v.as_of, 'YYYY-MM-DD') as as_of, v.model_version
from unnest($1::int[], $2::bigint[]) as asked (fips, property_id)
join parcels p on p.fips = asked.fips and p.property_id = asked.property_id
left join valuations v on v.fips = asked.fips and v.property_id = asked.property_id
where p.retired_at is null
