-- Apostrophes go from names as accents do: OBRIEN finds O'BRIEN and the other way round, whatever sign the
-- roll or the asker writes. `translate` is for the few names that have something to be translated.
create or replace function fold_name(name text) returns text
language sql immutable parallel safe
return case
  when octet_length(name) = char_length(name) then upper(replace(replace(name, '''', ''), '`', ''))
  else upper(translate(
    name,
    'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭĮįİıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽž' || U&'''`´\2018\2019\201aʼ\00ad\0300\0301\0302\0303\0304\0306\0307\0308\030a\030b\030c\0327\0328',
    'AAAAAACEEEEIIIINOOOOOOUUUUYaaaaaaceeeeiiiinoooooouuuuyyAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhIiIiIiIiIiJjKkLlLlLlLlNnNnNnOoOoOoRrRrRrSsSsSsSsTtTtUuUuUuUuUuUuWwYyYZzZzZz'
  ))
end;

create temporary table folded on commit drop as
select fips, fold_name(word) as word, string_agg(serials, '') as serials
from owner_words
where word ~ U&'[''`´\2018\2019\201aʼ\00ad]'
group by fips, fold_name(word);

delete from owner_words where word ~ U&'[''`´\2018\2019\201aʼ\00ad]';

insert into owner_words (fips, word, serials)
select fips, word, serials from folded where word <> ''
on conflict (fips, word) do update set serials = owner_words.serials || excluded.serials;

-- By the word first: a search of all counties goes down the index once for each word that it asks for, rather
-- than once for each county and word.
alter table owner_words drop constraint owner_words_pkey;
alter table owner_words add constraint owner_words_pkey primary key (word, fips);
create index owner_words_fips on owner_words (fips);

alter table situs_words drop constraint situs_words_pkey;
alter table situs_words add constraint situs_words_pkey primary key (word, fips);
create index situs_words_fips on situs_words (fips);
