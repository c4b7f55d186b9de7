-- name: has_suppressions
-- Whether anybody is to be left alone.
select true as some from contact_suppressions limit 1

-- name: list_former_names
-- Parcels of which a merge would tell who was named before, by their ids after `after`: names and
-- addresses before they are written. Places: fips, the counties that change; after, limit.
select
  p.fips, p.property_id, p.owner_name, p.owner_name_2, p.seller_name, p.mail_address, p.mail_city, p.mail_state,
  p.mail_zip, p.situs_address, p.situs_city, p.situs_state, p.situs_zip
from pending_changes c
join parcels p on p.fips = c.fips and p.property_id = c.property_id
where p.fips = any ({{fips}}::int[]) and c.property_id > {{after}} and c.fields ?| '{owner_name,owner_name_2,seller_name}'
order by c.property_id
limit {{limit}}

-- name: leave_out_former
-- Takes what a field of parcels was out of what is to be told of them.
update pending_changes
set fields = jsonb_set(fields, array[:field::text, '0'], 'null')
where property_id = any (:property_ids::bigint[]) and fields ? :field

-- name: list_named_parcels
-- Parcels of whose owners or sellers something is kept that looks like one of the `patterns`.
select distinct fips, property_id
from changes
where fields ?| '{owner_name,owner_name_2,seller_name}'
  and fold_name(concat_ws(' ', fields -> 'owner_name', fields -> 'owner_name_2', fields -> 'seller_name')) like any (:patterns::text[])

-- name: read_parcel_changes
-- All that is kept of parcels, the oldest first.
select seq, property_id, fields
from changes
where property_id = any (:property_ids::bigint[]) and type like 'parcel.%'
order by seq

-- name: read_parcel_names
-- Names and addresses of parcels as the roll has them.
select
  fips, property_id, owner_name, owner_name_2, seller_name, mail_address, mail_city, mail_state, mail_zip, situs_address,
  situs_city, situs_state, situs_zip
from parcels
where fips = any (:fips::int[]) and property_id = any (:property_ids::bigint[])

-- name: rewrite_changes
-- Replaces the fields of changes. Rows that belong together.
update changes c
set fields = n.fields
from unnest(:seqs::bigint[], :fields::jsonb[]) as n (seq, fields)
where c.seq = n.seq
