import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  COUNTY_KINDS,
  type CountyKind,
  type CountyKindStatus,
  isCountyOverlay,
} from '../../shared/feeds/county-feeds.ts';
import type { Config } from '../../shared/platform/config.ts';
import { writeFileAtomic } from '../../shared/platform/disk.ts';
import { errorCode, messageOf, PlatError } from '../../shared/platform/errors.ts';
import type { OpenContext } from '../../shared/platform/http/download-context.ts';
import { type FileVersion, fetchFileVersion } from '../../shared/platform/http/file-version.ts';
import { isUnreachable } from '../../shared/platform/http/http.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { readPreset } from '../feeds/presets.ts';
import { formatOf } from '../formats/read-format.ts';
import type { Feed } from '../ingest/all-kinds.ts';
import { sharedFolder } from '../ingest/engine/run-folder.ts';
import { tilesOfBounds } from '../ingest/layers/stage-tiles.ts';
import { parseFeed } from '../ingest/load-feeds.ts';
import { suggestFeed } from './check-suggestion.ts';
import { addressOf } from './feed-address.ts';
import { fillsKind } from './fills-kind.ts';
import {
  boundsOf,
  feedHeaderLines,
  feedNameOf,
  inputOf,
  landText,
  type PlannedFeed,
  planCounty,
  presetOf,
} from './plan-county.ts';
import { soilAddress, soilAreas } from './soil-areas.ts';

export type AddOptions = {
  dryRun: boolean;
  rows: number;
  force: boolean;
  look: FileVersionLookup;
  signal: AbortSignal;
  /** Called with the status of each kind as soon as it is known. */
  onAdded?(added: CountyKindStatus): void;
};

/** Adds a county's feed files. Each file is written atomically, and only after its source has responded. */
export async function addCounty(
  county: number,
  config: Config,
  installed: readonly Feed[],
  options: AddOptions,
): Promise<CountyKindStatus[]> {
  // All kinds are added at once, and each listens for an abort.
  setMaxListeners(0, options.signal);
  const planned = planCounty(county, config);
  const fips = fiveDigits(county);
  const results = await Promise.all(
    COUNTY_KINDS.map(async kind => {
      const feed = planned.find(each => each.kind === kind);
      const there = installed.find(each => each.fips === county && fillsKind(each, kind));
      // A state without a known sales program has no sales file.
      if (kind === 'listings' && !feed && !there) return null;
      const added =
        there && !options.force
          ? present(fips, kind, there)
          : feed === undefined
            ? unknown(fips, kind)
            : await addFeed(feed, config, options);
      options.onAdded?.(added);
      return added;
    }),
  );
  return results.filter(result => result !== null);
}

const present = (fips: string, kind: CountyKind, feed: Feed): CountyKindStatus => ({
  fips,
  kind,
  feed: feed.name,
  status: 'there',
  title: feed.title,
  attribution: feed.attribution,
  licence: feed.licence,
  address: addressOf(feed),
  modified: null,
  sales: readsSales(feed),
  message: feed.file,
  text: null,
});

const unknown = (fips: string, kind: CountyKind): CountyKindStatus => ({
  fips,
  kind,
  feed: feedNameOf(fips, kind),
  status: 'unknown',
  title: null,
  attribution: null,
  licence: null,
  address: null,
  modified: null,
  sales: false,
  message: 'the catalog has no source of parcels. Use `plat feed suggest` to write a feed for your own file',
  text: null,
});

const readsSales = (feed: Feed): boolean =>
  feed.kind === 'listings' || (feed.kind === 'assessor' && feed.sales !== null);

/** Whether a feed will read sales. Null if that isn't known before its columns are read. */
function willReadSales(planned: PlannedFeed): boolean | null {
  if (planned.kind !== 'assessor') return planned.kind === 'listings';
  const preset = presetOf(planned);
  return preset ? readPreset(preset).sales !== undefined : null;
}

async function addFeed(planned: PlannedFeed, config: Config, options: AddOptions): Promise<CountyKindStatus> {
  const { fips, kind, name, title, attribution, licence, addresses, setting } = planned;
  const result = {
    fips,
    kind,
    feed: name,
    title,
    attribution,
    licence,
    address: addresses[0]!,
    modified: null,
    sales: false,
    text: null,
  };
  const file = fileOf(config, name);
  // Even an invalid feed file is the operator's work. Don't overwrite it.
  if (existsSync(file) && !options.force)
    return {
      ...result,
      status: 'off',
      message: `${file} exists, but is off, has errors, or is for another county (\`plat county add --force\` overwrites it)`,
    };
  if (options.dryRun)
    return {
      ...result,
      status: 'planned',
      sales: willReadSales(planned),
      message: `would be written to ${file}`,
    };
  try {
    const found = await findSource(planned, config, options);
    const { text, off } =
      kind === 'assessor' || kind === 'listings'
        ? await mappedText(planned, found.addresses, config, options)
        : { text: landText(planned, found.addresses, config), off: [] };
    const feed = off.length === 0 ? parseFeed(text, file) : null;
    const known = {
      ...result,
      address: found.addresses[0]!,
      modified: found.state.modified,
      sales: feed !== null && readsSales(feed),
    };
    const refused = await writeFeed(file, text);
    if (refused !== null) return { ...known, status: 'failed', message: refused, text };
    const message = off.length === 0 ? file : `${file} is off: ${off.join('; ')}`;
    return { ...known, status: off.length === 0 ? 'written' : 'off', message };
  } catch (error) {
    return {
      ...result,
      status: 'failed',
      message: `${messageOf(error)} To use another address, set ${setting}.`,
      unreachable: isUnreachable(error),
    };
  }
}

/** @returns why the file couldn't be written, or null */
export async function writeFeed(file: string, text: string): Promise<string | null> {
  try {
    await writeFileAtomic(file, text);
    return null;
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return `Can't write ${file} (${code}). Allow it, or save the feed there yourself.`;
  }
}

const fileOf = ({ FEEDS_DIR }: Config, name: string): string => join(FEEDS_DIR, `${name}.yaml`);

const UNKNOWN: FileVersion = { version: null, modified: null };

/** The addresses that exist. There may be several, for files that are read together. */
type Found = { addresses: string[]; state: FileVersion };

const looking = (signal: AbortSignal): OpenContext => ({
  baseDir: process.cwd(),
  tmpDir: tmpdir(),
  signal,
  // The limits are short, because someone is waiting.
  limits: { tries: 2, downloadIdleMs: 20_000 },
});

export type FileVersionLookup = (address: string) => Promise<FileVersion | null>;

/** Checks each file only once, because counties in a state share files. */
export function cachedFileVersion(signal: AbortSignal): FileVersionLookup {
  const asked = new Map<string, Promise<FileVersion | null>>();
  return address => {
    const known = asked.get(address) ?? fetchFileVersion(new URL(address), looking(signal));
    asked.set(address, known);
    return known;
  };
}

/**
 * The first address that exists. Prefers one whose server reports a version.
 * @throws PlatError `feed_source` if none does
 */
async function findSource(
  { kind, fips, addresses, source, program }: PlannedFeed,
  config: Config,
  { look, signal }: Pick<AddOptions, 'look' | 'signal'>,
): Promise<Found> {
  if (kind === 'soils') return findSurveys(fips, addresses[0]!, config, { look, signal });
  // For a layer server, the reader checks whether it exists.
  const isServer =
    source !== undefined ||
    program?.format === 'arcgis' ||
    (isCountyOverlay(kind) && formatOf(addresses[0]!) === 'arcgis');
  if (isServer) return { addresses: addresses.slice(0, 1), state: UNKNOWN };
  if (program?.together) {
    const states = await Promise.all(
      addresses.map(async address => ({ address, state: await look(address) })),
    );
    const [first, ...others] = states.filter(({ state }) => state !== null);
    if (first?.state) return { addresses: [first, ...others].map(each => each.address), state: first.state };
  }
  let silent: Found | null = null;
  for (const address of addresses) {
    const looked = kind === 'elevation' ? tilesOfBounds(address, boundsOf(fips)) : [address];
    for (const each of looked) {
      const state = await look(each);
      if (state?.version) return { addresses: [address], state };
      if (state) silent ??= { addresses: [address], state };
    }
  }
  if (silent) return silent;
  throw new PlatError('feed_source', `None of these exist: ${addresses.join(', ')}.`);
}

/** The zips of a county's soil survey areas. All must exist, because each has a part of the county. */
async function findSurveys(
  fips: string,
  template: string,
  { SOIL_AREAS_URL }: Config,
  { look, signal }: Pick<AddOptions, 'look' | 'signal'>,
): Promise<Found> {
  const areas = template.includes('{area}') ? await soilAreas(fips, SOIL_AREAS_URL, looking(signal)) : [];
  const addresses = areas.length === 0 ? [template] : areas.map(area => soilAddress(template, area));
  if (formatOf(template) === 'arcgis') return { addresses, state: UNKNOWN };
  const states = await Promise.all(addresses.map(look));
  const missing = addresses.filter((_, i) => states[i] === null);
  if (missing.length > 0) throw new PlatError('feed_source', `These don't exist: ${missing.join(', ')}.`);
  return { addresses, state: states[0]! };
}

/**
 * The feed's text, with suggested columns or a preset. If the feed can't run, it is disabled, and its
 * problems are listed.
 */
async function mappedText(
  planned: PlannedFeed,
  addresses: string[],
  config: Config,
  { rows, signal }: AddOptions,
): Promise<{ text: string; off: string[] }> {
  const { fips, name, title, attribution, licence } = planned;
  const { text, problems } = await suggestFeed({
    input: inputOf(planned, addresses.length > 1 ? addresses : addresses[0]!),
    baseDir: config.FEEDS_DIR,
    file: fileOf(config, name),
    rows,
    signal,
    head: { name, fips, title, attribution, licence },
    about: feedHeaderLines(planned, config),
    preset: presetOf(planned),
    // Leave keys with several columns to the operator.
    key: planned.source?.key?.length === 1 ? planned.source.key[0] : undefined,
    switchOff: true,
    sharedDir: sharedFolder(config),
  });
  return { text, off: problems };
}
