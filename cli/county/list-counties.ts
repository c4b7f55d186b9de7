import { sourcesOfCounty } from '../../shared/feeds/catalogue.ts';
import { COUNTY_KINDS, type CountyKind, isCountyOverlay } from '../../shared/feeds/county-feeds.ts';
import { type NoComps, noComps } from '../../shared/feeds/no-comps.ts';
import { readSalesPrograms, salesProgramOf } from '../../shared/feeds/sales-programs.ts';
import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import { countyText, fiveDigits } from '../../shared/regions/counties.ts';
import { stateOfFips } from '../../shared/regions/states.ts';
import type { Feed } from '../../workers/ingest/all-kinds.ts';
import { addressOf } from '../../workers/setup/feed-address.ts';
import { fillsKind } from '../../workers/setup/fills-kind.ts';

export type ListedKind = {
  kind: CountyKind;
  feed: string | null;
  /** loaded: visible to readers. waiting: has a feed, but no data yet. missing: no feed. */
  state: 'loaded' | 'waiting' | 'missing';
  from: string | null;
  licence: string | null;
  /** The date of the data according to its source, or when the source was last changed. */
  edition: string | null;
  merged_at: Date | null;
  last_run: string | null;
};

export type ListedCounty = {
  fips: string;
  name: string;
  parcels: number;
  sold: number;
  /** Why the county has no sold comps, and how to get some. Null if it has some. */
  no_comps: NoComps | null;
  offered: string | null;
  kinds: ListedKind[];
};

type CoveredCounty = { fips: string; parcels: number; sold: number; reads_sales: boolean; sources: Source[] };
type Source = {
  kind: string;
  feed: string;
  licence: string | null;
  edition: string | null;
  changed: string | null;
  merged_at: string | null;
  source_url: string | null;
};
type LastRun = { feed: string; status: string };

/** Lists counties that have parcels or a feed of their own. Always includes the `named` ones. */
export async function listCounties(
  db: Db,
  installed: readonly Feed[],
  wanted: (fips: number) => boolean,
  named: readonly number[],
  { CATALOGUE_FILE: catalogueFile, SALES_FILE: salesFile }: Pick<Config, 'CATALOGUE_FILE' | 'SALES_FILE'>,
): Promise<ListedCounty[]> {
  const covered = await db.run<CoveredCounty>('feeds/list_coverage', { fips: null });
  const runs = await db.run<LastRun>('feeds/list_last_runs');
  const byCode = new Map(covered.map(county => [Number(county.fips), county]));
  const feeds: KnownFeeds = {
    installed,
    byName: new Map(installed.map(feed => [feed.name, feed])),
    lastRun: new Map(runs.map(({ feed, status }) => [feed, status])),
  };
  const withFeeds = installed.flatMap(feed =>
    feed.fips !== null && COUNTY_KINDS.some(kind => fillsKind(feed, kind)) ? [feed.fips] : [],
  );
  const programs = readSalesPrograms(salesFile);
  const listed = [...byCode.keys(), ...withFeeds].filter(wanted);
  const codes = [...new Set([...listed, ...named])].sort((a, b) => a - b);
  return codes.map(code => {
    const county = byCode.get(code);
    const fips = fiveDigits(code);
    const hasProgram = salesProgramOf(code, programs) !== undefined;
    return {
      fips,
      name: countyText(code),
      parcels: county?.parcels ?? 0,
      sold: county?.sold ?? 0,
      no_comps: county?.sold ? null : noComps(stateOfFips(code)!, county?.reads_sales ?? false),
      offered: sourcesOfCounty(fips, catalogueFile)[0]?.address ?? null,
      kinds: COUNTY_KINDS.flatMap(kind =>
        listKind(code, kind, county?.sources ?? [], feeds, kind !== 'listings' || hasProgram),
      ),
    };
  });
}

type KnownFeeds = {
  installed: readonly Feed[];
  byName: ReadonlyMap<string, Feed>;
  lastRun: ReadonlyMap<string, string>;
};

/**
 * A county's loaded feeds of one kind. If there are none, the waiting feed, or a row with state `missing`.
 */
function listKind(
  code: number,
  kind: CountyKind,
  sources: readonly Source[],
  { installed, byName, lastRun }: KnownFeeds,
  isOffered: boolean,
): ListedKind[] {
  const all = sources.filter(source => {
    const feed = byName.get(source.feed);
    return isCountyOverlay(kind) ? feed !== undefined && fillsKind(feed, kind) : source.kind === kind;
  });
  // Elevation tiles of a neighboring county extend across the county line.
  const ofCounty = all.filter(({ feed }) => (byName.get(feed)?.fips ?? code) === code);
  const loaded = ofCounty.length > 0 ? ofCounty : all;
  if (loaded.length > 0)
    return loaded.map(({ feed, licence, edition, changed, merged_at, source_url }) => ({
      kind,
      feed,
      licence,
      state: 'loaded',
      edition: edition ?? changed,
      from: source_url ?? byName.get(feed)?.file ?? null,
      merged_at: merged_at === null ? null : new Date(merged_at),
      last_run: lastRun.get(feed) ?? null,
    }));
  const waiting = installed.find(feed => feed.fips === code && fillsKind(feed, kind));
  if (!waiting && !isOffered) return [];
  const unknown = { kind, licence: null, edition: null, merged_at: null };
  if (!waiting) return [{ ...unknown, feed: null, state: 'missing', from: null, last_run: null }];
  return [
    {
      ...unknown,
      feed: waiting.name,
      state: 'waiting',
      from: addressOf(waiting) ?? waiting.file,
      licence: waiting.licence,
      last_run: lastRun.get(waiting.name) ?? null,
    },
  ];
}
