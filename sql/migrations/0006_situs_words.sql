-- The words of a text as names are compared by them, with one space or more between two: upper case, without
-- accents and apostrophes, every other mark taken for a space. It is `wordsOf` of the program. Capitals
-- and digits alone, as in most rolls, are told apart: translate looks through its whole list for each of them.
create function plain_words(text text) returns text
language sql immutable parallel safe
return case
  when text !~ '[^A-Z0-9 ]' then text
  else translate(
    text,
    U&' ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz!"#$%&()*+,-./:;<=>?@[\\]^_{|}~\0001\0002\0003\0004\0005\0006\0007\0008\0009\000a\000b\000c\000d\000e\000f\0010\0011\0012\0013\0014\0015\0016\0017\0018\0019\001a\001b\001c\001d\001e\001f\007f\00a0¡¦§©«¬®°±¶·»¿÷×\2010\2011\2012\2013\2014\2015\201c\201d\201e\2022\2026\2032\2033ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥħĨĩĪīĬĭĮįİıĳĴĵĶķĹĺĻļĽľŀŁłŃńŅņŇňŋŌōŎŏŐőœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžſ''`´\2018\2019\201aʼ\00ad\0300\0301\0302\0303\0304\0306\0307\0308\030a\030b\030c\0327\0328',
    U&' ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ                                                                                           AAAAAACEEEEIIIINOOOOOOUUUUYAAAAAAÆCEEEEIIIIÐNOOOOOOUUUUYÞYAAAAAACCCCCCCCDDDDEEEEEEEEEEGGGGGGGGHHĦIIIIIIIIIIĲJJKKLLLLLLĿLLNNNNNNŊOOOOOOŒRRRRRRSSSSSSSSTTTTŦUUUUUUUUUUUUWWYYYZZZZZZS'
  )
end;

-- The words of an address, and after @ those of its city and ZIP, so that a town's name does not find all that
-- lies in it. Without concat_ws, which is not immutable: PostgreSQL would not inline it.
create function situs_text(address text, city text, zip text) returns text
language sql immutable parallel safe
return plain_words(coalesce(address, ''))
  || replace(' ' || plain_words(coalesce(city, '') || ' ' || coalesce(zip, '')), ' ', ' @');

-- The words of the parcels' addresses, cities and ZIPs, as owner_words has those of the owners' names.
create table situs_words (
  fips int not null,
  word text collate "C" not null,
  serials bytea not null,
  primary key (fips, word)
) partition by range (fips);

alter table situs_words alter column serials set storage external;

-- What somebody begins to type is a range of words, which the order of the bytes gives in every database.
alter table owner_words alter column word type text collate "C";

-- On a cluster it is distributed later, and until then one partition has all counties.
do $$
declare
  part record;
begin
  if (select relkind from pg_class where oid = 'owner_words'::regclass) = 'p' then
    for part in
      select replace(inhrelid::regclass::text, 'owner_words', 'situs_words') as name, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits join pg_class c on c.oid = inhrelid
      where inhparent = 'owner_words'::regclass
    loop
      execute format('create table %s partition of situs_words %s', part.name, part.bound);
    end loop;
  else
    create table situs_words_all partition of situs_words default;
  end if;
end
$$;

insert into situs_words (fips, word, serials)
select fips, word, string_agg(int4send(serial), '')
from (
  select p.fips, (p.property_id - p.fips * 100000000::bigint)::int as serial, left(w.word, 500) as word
  from parcels p
  cross join lateral string_to_table(situs_text(p.situs_address, p.situs_city, p.situs_zip), ' ') w (word)
  where p.retired_at is null
) located
where word <> ''
group by fips, word;

-- How the parcel numbers of a county are written, of each feed the most frequent way: digits as 0, letters as
-- A, all else as it is ('000000-000000-000000'). A number that is typed without its zeros is filled up by it.
alter table county_coverage add column apn_shapes text[] not null default '{}';

create temporary table shapes on commit drop as
select fips, array_agg(distinct shape) as shapes
from (
  select fips, feed_id, mode() within group (order by translate(upper(apn), '123456789BCDEFGHIJKLMNOPQRSTUVWXYZ', '000000000AAAAAAAAAAAAAAAAAAAAAAAAA')) as shape
  from parcels
  where retired_at is null and apn is not null
  group by fips, feed_id
) of_feeds
group by fips;

update county_coverage c
set apn_shapes = s.shapes
from shapes s
where s.fips = c.fips;
