-- Forgets the words of the owners in these counties; fill_owner_words.sql writes them anew.
-- $1 counties int[]
delete from owner_words
where fips = any ($1::int[])
