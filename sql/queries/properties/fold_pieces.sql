-- Pieces of text in upper case as the words of owners are, which for other letters than ASCII's depends on the server.
-- $1 pieces text[]
select array(select upper(piece) from unnest($1::text[]) with ordinality p (piece, n) order by n) as pieces
