import { z } from 'zod';
import { countyCode, type JobDefinition, RETRY } from '../platform/queue/jobs.ts';
import { fiveDigits } from '../regions/counties.ts';

/** The kinds of feed that a county needs, in the order in which they are listed. */
export const COUNTY_KINDS = [
  'assessor',
  'listings',
  'roads',
  'wetlands',
  'flood',
  'elevation',
  'water',
  'places',
] as const;
export type CountyKind = (typeof COUNTY_KINDS)[number];

/** What is there of one kind in a county, or what has become of adding it. */
export type CountyKindStatus = {
  fips: string;
  kind: CountyKind;
  feed: string;
  /** planned: a dry run; off: its file is there, but switched off until somebody completes it. */
  status: 'written' | 'off' | 'there' | 'planned' | 'failed' | 'unknown';
  title: string | null;
  attribution: string | null;
  licence: string | null;
  address: string | null;
  /** When the source says that it was changed last. */
  modified: Date | null;
  /** Whether the feed reads sales, from which comps come; null until its columns have been looked at. */
  sales: boolean | null;
  message: string;
  /** Its server could not be reached. Absent: it was, or was not asked. */
  unreachable?: boolean;
  /** The feed file, where it could not be written. */
  text: string | null;
};

const payload = z.object({
  county: countyCode,
  /** False: only say what would be written, and ask nobody. */
  write: z.boolean(),
  requestedBy: z.string(),
});

export type AddCountyPayload = z.output<typeof payload>;

/** A moment is a text here: the result has been JSON. */
export type AddCountyResult = {
  added: (Omit<CountyKindStatus, 'modified'> & { modified: string | null })[];
  /** The jobs that ingest its feeds. */
  runs: { feed: string; job: string }[];
  feedsDir: string;
  /** The system's code for why FEEDS_DIR takes no files. */
  notWritable: string | null;
};

/** Sources that cannot be reached are part of its result: attempts are for the database. */
export const addCountyJob: JobDefinition<AddCountyPayload> = {
  name: 'feeds.add_county',
  queue: 'feeds',
  payload,
  key: ({ county, write }) => JSON.stringify([fiveDigits(county), write ? 'add' : 'look']),
  ...RETRY,
};
