import { z } from 'zod';
import type { FeedBase } from '../../../feeds/feed.ts';
import { daySchema } from '../../../feeds/feed-head.ts';
import type { Report } from '../../../feeds/locate-faults.ts';
import { INPUT_PROPERTIES } from '../../../formats/format-input.ts';
import type { FileOf } from '../../engine/feed-kind.ts';

const CHANGE_COLUMNS = ['area_code', 'number', 'phone', 'date', 'action', 'ignore'] as const;
type ChangeColumn = (typeof CHANGE_COLUMNS)[number];
const USUAL: ChangeColumn[] = ['area_code', 'number', 'date', 'action'];

const dncSchema = z.strictObject({
  source: INPUT_PROPERTIES.source,
  list: z
    .enum(['full', 'changes'])
    .describe(
      'full: all numbers of its area codes, replacing earlier ones. changes: the numbers added and deleted on one day. Default: full.',
    )
    .optional(),
  edition: daySchema
    .describe("Date of the list. Default: the date in the file's name (2026-11-20 or 20261120).")
    .optional(),
  columns: z
    .array(z.enum(CHANGE_COLUMNS))
    .min(2)
    .describe(
      'Columns of a change list, in order: area_code and number (7 digits) or phone (10 digits), action (A or D), date. Default: area_code, number, date, action.',
    )
    .optional(),
});

export const DNC_SECTIONS = { dnc: dncSchema.describe('Kind dnc: the files of the Do Not Call Registry.') };

/** Files from the Do Not Call registry. `edition` is YYYY-MM-DD, or null if the file names have the date. */
type DncInput = {
  sources: string[];
  list: 'full' | 'changes';
  edition: string | null;
  columns: ChangeColumn[];
};

export type DncFeed = FeedBase & { kind: 'dnc'; dnc: DncInput };

export function resolveDnc(
  { dnc: section }: FileOf<typeof DNC_SECTIONS>,
  base: FeedBase,
  report: Report,
): DncFeed {
  const { source, list = 'full', columns = USUAL, edition = null } = section!;
  const tells = columns.includes('phone') || (columns.includes('area_code') && columns.includes('number'));
  if (!tells || !columns.includes('action'))
    report('dnc.columns', 'needs action, and phone or area_code with number');
  return { ...base, kind: 'dnc', dnc: { sources: [source].flat(), list, edition, columns } };
}
