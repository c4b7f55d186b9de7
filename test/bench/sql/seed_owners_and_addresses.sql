-- Creates parcels of one county with realistic owners and addresses: 60,000 surnames and 4,000 given names by
-- Zipf's law (about 1 % of the people have the most common surname), couples, trusts and companies, and about
-- 600 streets. Values come from hashes of the row number, so that the same parameters give the same rows.
-- $1 fips int, $2 parcels int
with drawn as (
  select
    i,
    floor(12 * exp(u1 * ln(60012.0 / 12)) - 12)::int as surname,
    floor(6 * exp(u2 * ln(4006.0 / 6)) - 6)::int as given,
    floor(6 * exp(u3 * ln(4006.0 / 6)) - 6)::int as spouse,
    u4 as kind,
    chr(65 + floor(26 * u5)::int) as middle,
    floor(u5 * 997)::int as number
  from (
    select
      i,
      (hashint8extended(i, 1) & 1048575) / 1048576.0::double precision as u1,
      (hashint8extended(i, 2) & 1048575) / 1048576.0::double precision as u2,
      (hashint8extended(i, 3) & 1048575) / 1048576.0::double precision as u3,
      (hashint8extended(i, 4) & 1048575) / 1048576.0::double precision as u4,
      (hashint8extended(i, 5) & 1048575) / 1048576.0::double precision as u5
    from generate_series($1::bigint * 10000000, $1::bigint * 10000000 + $2::int - 1) i
  ) uniform
),
syllables as (
  select
    '{SMITH,JOHNSON,WILLIAMS,BROWN,JONES,GARCIA,MILLER,DAVIS,WILSON,ANDERSON,TAYLOR,THOMAS,MOORE,MARTIN,LEE,LI,NG,O''NEIL}'::text[] as top_surnames,
    '{JAMES,MARY,ROBERT,PATRICIA,JOHN,JENNIFER,MICHAEL,LINDA,DAVID,ELIZABETH,WILLIAM,BARBARA}'::text[] as top_given,
    '{BA,BER,CAR,COL,DAN,DER,EL,FEN,GAL,GRA,HAM,HOL,IR,JOR,KEL,KIN,LAN,LO,MAC,MOR,NA,NOR,OR,PAR,PEN,QUI,RA,ROS,SAL,STA,TER,TO,UL,VAN,WAL,WIN,YAR,ZE}'::text[] as parts,
    '{TON,SON,MAN,LEY,FORD,BERG,ER,EZ,SKI,WOOD,FIELD,LAND,INGS,WELL,ARD,US}'::text[] as ends,
    '{PROPERTIES,HOLDINGS,LAND,HOMES,FARMS,INVESTMENTS,RENTALS,DEVELOPMENT}'::text[] as trades
),
named as (
  select
    d.i, d.kind, d.middle, d.number, s.trades[1 + d.number % 8] as trade,
    coalesce(s.top_surnames[d.surname + 1],
      s.parts[1 + d.surname % 38] || s.parts[1 + d.surname / 38 % 38] || s.ends[1 + d.surname / 1444 % 16]
      || case when d.surname > 23000 then s.parts[1 + d.surname * 7 % 38] else '' end) as surname,
    coalesce(s.top_given[d.given + 1], s.parts[1 + d.given % 38] || s.parts[1 + d.given / 38 % 38] || 'A') as given,
    coalesce(s.top_given[d.spouse + 1], s.parts[1 + d.spouse % 38] || s.parts[1 + d.spouse / 38 % 38] || 'A') as spouse
  from drawn d, syllables s
)
insert into parcels (
  fips, property_id, feed_id, source_key, apn, apn_normalized, owner_name, situs_address, situs_city, situs_state,
  situs_zip, created_run, changed_run
)
select
  $1::int, $1::bigint * 100000000 + 1 + i % 10000000, 1, i::text, to_char(i % 10000000, 'FM000000-000-000'),
  lpad((i % 10000000)::text, 12, '0'),
  case
    when kind < 0.55 then surname || ', ' || given || ' ' || middle
    when kind < 0.7 then surname || ', ' || given || ' ' || middle || ' & ' || spouse
    when kind < 0.8 then surname || ' ' || given || ' ' || middle || ' REVOCABLE TRUST'
    when kind < 0.95 then surname || ' ' || trade || ' ' || case when number % 3 = 0 then number || ' ' else '' end || 'LLC'
    when kind < 0.98 then 'CITY OF ' || surname
    else null
  end,
  concat_ws(' ', 1 + abs(hashint8(i)) % 6000, ('{N,S,NULL,NULL,NULL}'::text[])[1 + number % 5], street,
    ('{ST,RD,AVE,LN,DR,CT}'::text[])[1 + abs(hashtext(street)) % 6]),
  'TOWN ' || chr(65 + number % 20), 'IA', lpad((50000 + number % 30)::text, 5, '0'), 1, 1
from (
  select n.*, s.parts[1 + abs(hashint8extended(i, 7)::int8 % 38)] || s.ends[1 + abs(hashint8extended(i, 8)::int8 % 16)] as street
  from named n, syllables s
) located
