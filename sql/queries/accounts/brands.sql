-- name: read_brand
-- What the company of an account shows on its reports.
select c.name as company, b.logo, coalesce(b.address, '') as address
from accounts a
join companies c on c.id = a.company_id
left join company_brands b on b.company_id = c.id
where a.id = :account_id

-- name: read_company_brand
-- What a company shows on its reports.
select c.name as company, b.logo, coalesce(b.address, '') as address
from companies c
left join company_brands b on b.company_id = c.id
where c.id = :company_id

-- name: save_brand
-- Saves a company's address, and its logo unless `keeps_logo`. A null logo removes it.
insert into company_brands (company_id, logo, address)
values (:company_id, :logo, :address)
on conflict (company_id) do update
set address = excluded.address,
  logo = case when :keeps_logo::boolean then company_brands.logo else excluded.logo end
