import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import { FEED_KIND_NAMES, FEED_KINDS } from '../../shared/model/feed-kinds.ts';
import { gatesSchema } from './gates-schema.ts';
import { PRESETS } from './presets.ts';

/** What every feed file may say, whatever its kind. */

export const daySchema = z
  .string()
  .refine(
    text =>
      /^\d{4}-\d{2}-\d{2}$/.test(text) &&
      !Number.isNaN(Date.parse(text)) &&
      new Date(text).toISOString().startsWith(text),
    {
      error: 'is no day written YYYY-MM-DD',
    },
  );

const fipsSchema = z
  .union([z.string().regex(/^\d{4,5}$/, 'is no county FIPS code'), z.number().int().min(1001).max(78_999)])
  .describe(
    "County FIPS of every row, such as '33019'; rows whose own FIPS differs are rejected. Of a land layer: the county that it covers as a whole.",
  );

/** What the queue's own parser objects to. It fills in missing fields by itself, so they are counted here. */
function cronProblem(expression: string): string | null {
  const fields = expression.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6)
    return 'needs five fields: minute, hour, day of month, month, day of week';
  try {
    CronExpressionParser.parse(expression);
    return null;
  } catch (error) {
    return `is no schedule: ${(error as Error).message}`;
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const scheduleSchema = z.strictObject({
  cron: z
    .string()
    .superRefine((text, context) => {
      const problem = cronProblem(text);
      if (problem) context.addIssue({ code: 'custom', message: problem });
    })
    .describe("Cron expression: minute, hour, day of month, month, day of week, such as '0 6 * * *'."),
  timezone: z
    .string()
    .refine(isTimeZone, { error: 'is no IANA time zone' })
    .describe('IANA time zone that the expression is read in, such as America/New_York. Default: UTC.')
    .optional(),
});

/** The kinds with what they hold, those together that hold the same. */
function kindWords(): string {
  const kinds = new Map<string, string[]>();
  for (const name of FEED_KIND_NAMES) {
    const { doc } = FEED_KINDS[name];
    kinds.set(doc, [...(kinds.get(doc) ?? []), name]);
  }
  return [...kinds].map(([doc, names]) => `${names.join(', ')}: ${doc}`).join('; ');
}

export const REQUIRED_PROPERTIES = {
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and -, not beginning with -')
    .describe(
      'Name of the feed, unique in the installation; a parcel keeps its property_id as long as it stays.',
    ),
  kind: z.enum(FEED_KIND_NAMES).describe(`${kindWords()}.`),
};

export const COMMON_PROPERTIES = {
  $schema: z.string().describe('Address of this schema, for editors.'),
  disabled: z
    .boolean()
    .describe('true: the feed is not run, and no bundled one of this name either. Default: false.'),
  title: z.string().describe('Name for people.'),
  attribution: z.string().describe('Who is to be credited, and how.'),
  licence: z.string().describe('Terms on which the data may be used.'),
  fips: fipsSchema,
  as_of: daySchema.describe(
    'Day of a snapshot that no longer moves, YYYY-MM-DD. Its statistics are computed as of it.',
  ),
  schedule: scheduleSchema.describe('When to run by itself. Default: only on request.'),
  preset: z
    .enum(PRESETS)
    .describe(
      "A known schema whose columns are mapped already; the feed's own settings win, column by column.",
    ),
};

export const GATES_PROPERTY = { gates: gatesSchema.describe('What blocks the merge of a run.') };

const headSchema = z.strictObject({
  ...REQUIRED_PROPERTIES,
  ...z.strictObject({ ...COMMON_PROPERTIES, ...GATES_PROPERTY }).partial().shape,
});
export type FeedHead = z.infer<typeof headSchema>;

/** The `source` of rows that name none: the section's label, else the feed's title, else its name. */
export const labelOf = ({ title, name }: FeedHead, { label }: { label?: string | undefined }): string =>
  label ?? title ?? name;
