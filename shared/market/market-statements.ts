import type { PriceIndex } from '../kernels/valuation/price-index.ts';
import type { Db } from '../platform/db.ts';

export type FiguresRow = {
  id: string;
  type: 'county' | 'zip';
  code: string;
  name: string;
  state: string;
  county_name: string;
  as_of: string | null;
  figures: Buffer | null;
  recorded: boolean | null;
  price_index: PriceIndex | null;
};

type RegionKey = { type: string; code: string };

/** The current figures for regions. With `asOf`, the figures at the end of a month. */
export const listFigures = (db: Db, regions: readonly RegionKey[], asOf?: string): Promise<FiguresRow[]> =>
  db.run<FiguresRow>('market/list_figures', {
    types: regions.map(({ type }) => type),
    codes: regions.map(({ code }) => code),
    type: null,
    state: null,
    as_of: asOf ?? null,
  });

/** The current figures for every region of a type that has listings, in one state or in all states. */
export const listAllFigures = (db: Db, type: string, state?: string): Promise<FiguresRow[]> =>
  db.run<FiguresRow>('market/list_figures', {
    types: null,
    codes: null,
    type,
    state: state ?? null,
    as_of: null,
  });

export async function listCountyZips(db: Db, fips: number): Promise<RegionKey[]> {
  const rows = await db.run<{ zip: string }>('market/list_county_zips', { fips });
  return rows.map(({ zip }) => ({ type: 'zip', code: zip }));
}

/** A saved market's figures now and on the user's previous visit. Null before the second visit. */
export type MarketView = {
  id: string;
  figures: Buffer | null;
  before_at: Date | null;
  before_figures: Buffer | null;
};

/** Records that the user has seen these saved markets. */
export const viewMarkets = (db: Db, userId: string, marketIds: readonly string[]): Promise<MarketView[]> =>
  db.run<MarketView>('market/view_markets', { user_id: userId, market_ids: marketIds });

export type CompPlace = {
  address: string | null;
  apn: string | null;
  lon: number | null;
  lat: number | null;
};

/** Where comps are, by id. */
export async function listCompPlaces(db: Db, ids: readonly string[]): Promise<Map<string, CompPlace>> {
  const rows = await db.run<CompPlace & { id: string }>('market/list_comp_places', { ids });
  return new Map(rows.map(({ id, ...place }) => [id, place]));
}
