-- What a parcel is worth by the sales around it, as it is answered; null figures where no relevant comps were found, no
-- row where the parcel is unknown or has left the roll.
-- $1 fips int, $2 property id bigint, $3 whether the comps are wanted boolean
select
  v.mean_price, v.mean_ppa, v.mean_adjusted_price, v.mean_adjusted_ppa, v.confidence_score, v.gini_index,
  v.low_price, v.high_price, v.out_of_support, case when $3::boolean then v.comps end as comps, to_char(v.as_of, 'YYYY-MM-DD') as as_of, v.model_version
from parcels p
left join valuations v on v.fips = p.fips and v.property_id = p.property_id
where p.fips = $1::int and p.property_id = $2::bigint and p.retired_at is null
