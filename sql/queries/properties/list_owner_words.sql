-- All words of a county's owners, separated and enclosed by spaces, which no word holds, and their version; null without
-- any. 25 ms for 90,000 words. The version is the number of the transaction that wrote them: all of a county's are
-- written anew when one of its parcels changes.
-- $1 fips int
select
  (select xmin::text from owner_words where fips = $1::int order by word limit 1) as version,
  (select ' ' || string_agg(word, ' ') || ' ' from owner_words where fips = $1::int) as words
