import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import { FEED_NAME } from '../../shared/feeds/file-feeds.ts';
import { FEED_KIND_NAMES, FEED_KINDS } from '../../shared/model/feed-kinds.ts';
import { gatesSchema } from './gates-schema.ts';
import { PRESETS } from './presets.ts';

/** Properties of every feed file, whatever its kind. */

export const daySchema = z
  .string()
  .refine(
    text =>
      /^\d{4}-\d{2}-\d{2}$/.test(text) &&
      !Number.isNaN(Date.parse(text)) &&
      new Date(text).toISOString().startsWith(text),
    {
      error: 'is not a date; write YYYY-MM-DD',
    },
  );

const fipsSchema = z
  .union([z.string().regex(/^\d{4,5}$/, 'is not a county FIPS code'), z.number().int().min(1001).max(78_999)])
  .describe(
    "County FIPS code of every row, such as '33019'. Rows with a different FIPS code are rejected. For a land layer: the county that it covers completely.",
  );

/**
 * Returns what is wrong with a cron expression, according to the queue's own parser. That parser silently
 * fills in missing fields, so count the fields first.
 */
function cronProblem(expression: string): string | null {
  const fields = expression.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6)
    return 'needs five fields: minute, hour, day of month, month, day of week';
  try {
    CronExpressionParser.parse(expression);
    return null;
  } catch (error) {
    return `is not a valid schedule: ${(error as Error).message}`;
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
    .refine(isTimeZone, { error: 'is not an IANA time zone' })
    .describe('IANA time zone of the expression, such as America/New_York. Default: UTC.')
    .optional(),
});

/** Builds text that lists the kinds of feeds and their contents. Kinds with the same contents are grouped. */
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
    .regex(FEED_NAME, 'must be 1 to 63 of a-z, 0-9, and -, and not start with -')
    .describe(
      'Name of the feed, unique in the installation. Parcels keep their property_id as long as it stays the same.',
    ),
  kind: z.enum(FEED_KIND_NAMES).describe(`${kindWords()}.`),
};

export const COMMON_PROPERTIES = {
  $schema: z.string().describe('URL of this schema, for editors.'),
  disabled: z
    .boolean()
    .describe(
      'true: the feed does not run, and neither does a bundled feed with the same name. Default: false.',
    ),
  title: z.string().describe('Display name of the feed.'),
  attribution: z.string().describe('Credit line for the data.'),
  licence: z.string().describe('Terms of use of the data.'),
  fips: fipsSchema,
  as_of: daySchema.describe(
    'Date of a fixed snapshot, YYYY-MM-DD. Its statistics are computed as of that date.',
  ),
  schedule: scheduleSchema.describe('When the feed runs automatically. Default: only on request.'),
  preset: z
    .enum(PRESETS)
    .describe(
      "A known schema with its columns already mapped. The feed's own settings override it, column by column.",
    ),
};

export const GATES_PROPERTY = { gates: gatesSchema.describe('Limits that block the merge of a run.') };

const headSchema = z.strictObject({
  ...REQUIRED_PROPERTIES,
  ...z.strictObject({ ...COMMON_PROPERTIES, ...GATES_PROPERTY }).partial().shape,
});
export type FeedHead = z.infer<typeof headSchema>;

/** The default `source` of rows: the section's label, or else the feed's title, or else its name. */
export const labelOf = ({ title, name }: FeedHead, { label }: { label?: string | undefined }): string =>
  label ?? title ?? name;
