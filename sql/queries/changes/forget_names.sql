-- name: has_suppressions
-- Whether anyone is on the suppression list.
select true as some from contact_suppressions limit 1

-- name: list_former_names
-- Parcels whose former names a merge is about to report, with their names and addresses before the merge
-- writes them. Ordered by id, starting after `after`. Fragments: fips (the counties that change), after,
-- limit.
select
  p.fips, p.property_id, p.owner_name, p.owner_name_2, p.seller_name, p.mail_address, p.mail_city, p.mail_state,
  p.mail_zip, p.situs_address, p.situs_city, p.situs_state, p.situs_zip
from pending_changes c
join parcels p on p.fips = c.fips and p.property_id = c.property_id
where p.fips = any ({{fips}}::int[]) and c.property_id > {{after}} and c.fields ?| '{owner_name,owner_name_2,seller_name}'
order by c.property_id
limit {{limit}}

-- name: leave_out_former
-- Removes a parcel field's previous value from the pending changes.
update pending_changes
set fields = jsonb_set(fields, array[:field::text, '0'], 'null')
where property_id = any (:property_ids::bigint[]) and fields ? :field

-- name: list_named_parcels
-- Parcels with a stored owner or seller name that matches one of the `patterns`.
select distinct fips, property_id
from changes
where fields ?| '{owner_name,owner_name_2,seller_name}'
  and fold_name(concat_ws(' ', fields -> 'owner_name', fields -> 'owner_name_2', fields -> 'seller_name')) like any (:patterns::text[])

-- name: read_parcel_changes
-- All stored changes of parcels, oldest first.
select seq, property_id, fields
from changes
where property_id = any (:property_ids::bigint[]) and type like 'parcel.%'
order by seq

-- name: read_parcel_names
-- Names and addresses of parcels on the roll.
select
  fips, property_id, owner_name, owner_name_2, seller_name, mail_address, mail_city, mail_state, mail_zip, situs_address,
  situs_city, situs_state, situs_zip
from parcels
where fips = any (:fips::int[]) and property_id = any (:property_ids::bigint[])

-- name: rewrite_changes
-- Replaces the fields of changes. The arrays are parallel: one element per change.
update changes c
set fields = n.fields
from unnest(:seqs::bigint[], :fields::jsonb[]) as n (seq, fields)
where c.seq = n.seq
