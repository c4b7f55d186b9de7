-- expanding: what a user saw in a saved market
-- The figures when a user last opened a page with the market, and those of the visit before. Packed like
-- region_stats.figures, which can be null.
create table market_views (
  market_id uuid not null references saved_markets (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  seen_at timestamptz not null,
  figures bytea,
  before_at timestamptz,
  before_figures bytea,
  primary key (market_id, user_id)
);

create index market_views_user on market_views (user_id);
