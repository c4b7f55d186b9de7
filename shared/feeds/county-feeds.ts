import { z } from 'zod';
import { countyCode, type JobDefinition, RETRY } from '../platform/queue/jobs.ts';
import { fiveDigits } from '../regions/counties.ts';

/** Overlays that agencies publish for every county. Each is the name of a preset. */
export const COUNTY_OVERLAYS = [
  'soils',
  'protected_land',
  'opportunity_zones',
  'transmission_lines',
  'railroads',
  'urban_areas',
] as const;
export type CountyOverlay = (typeof COUNTY_OVERLAYS)[number];

export const isCountyOverlay = (kind: string): kind is CountyOverlay =>
  (COUNTY_OVERLAYS as readonly string[]).includes(kind);

/** The data that a county needs, in display order: kinds of feed, and presets of kind overlay. */
export const COUNTY_KINDS = [
  'assessor',
  'listings',
  'roads',
  'wetlands',
  'flood',
  'elevation',
  'water',
  'places',
  ...COUNTY_OVERLAYS,
] as const;
export type CountyKind = (typeof COUNTY_KINDS)[number];

/** The status of one kind of feed in a county, or the result of adding it. */
export type CountyKindStatus = {
  fips: string;
  kind: CountyKind;
  feed: string;
  /**
   * `planned` is the result of a dry run. `off` means that the feed file exists, but is disabled until
   * someone completes it.
   */
  status: 'written' | 'off' | 'there' | 'planned' | 'failed' | 'unknown';
  title: string | null;
  attribution: string | null;
  licence: string | null;
  address: string | null;
  /** When the data last changed, according to the source. */
  modified: Date | null;
  /** Whether the feed has sales, which become comps. Null until its columns have been read. */
  sales: boolean | null;
  message: string;
  /** True if the publisher's server could not be reached. Absent if it was reached or not tried. */
  unreachable?: boolean;
  /** The text of the feed file, if it could not be written. */
  text: string | null;
};

const payload = z.object({
  county: countyCode,
  /** If false, only report what would be written, without sending requests to publishers. */
  write: z.boolean(),
  requestedBy: z.string(),
});

export type AddCountyPayload = z.output<typeof payload>;

/** The result as JSON, with dates as strings. */
export type AddCountyResult = {
  added: (Omit<CountyKindStatus, 'modified'> & { modified: string | null })[];
  /** The jobs that run the county's feeds. */
  runs: { feed: string; job: string }[];
  feedsDir: string;
  /** The system's error code if FEEDS_DIR is not writable. */
  notWritable: string | null;
};

/** Unreachable sources are reported in the result. Retries only cover database failures. */
export const addCountyJob: JobDefinition<AddCountyPayload> = {
  name: 'feeds.add_county',
  queue: 'feeds',
  payload,
  key: ({ county, write }) => JSON.stringify([fiveDigits(county), write ? 'add' : 'look']),
  ...RETRY,
};
