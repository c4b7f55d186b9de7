import { z } from 'zod';
import { defineFilter, wholeNumber } from './declare-filter.ts';

const SINCE = 'must be an ISO 8601 time with a time zone, such as 2026-11-20T04:00:00Z, or a row_version';

/** A `row_version` or a time. */
export type Since = { version: number } | { at: string };

// The schema publishes this as plain text, because a pattern for times would be longer than the whole filter
// in MCP.
const time = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

const since = z.union([wholeNumber(), z.string()], SINCE).transform((value, context): Since => {
  if (typeof value === 'number' || /^[0-9]{1,15}$/.test(value)) return { version: Number(value) };
  const parsed = time.safeParse(value);
  if (parsed.success) return { at: new Date(parsed.data).toISOString() };
  context.issues.push({ code: 'custom', message: SINCE, input: value });
  return z.NEVER;
});

export const changedSinceFilter = defineFilter({
  name: 'changed_since',
  label: 'Changed since',
  type: 'string',
  description: 'Parcels that changed after this row_version or since this ISO 8601 time.',
  schema: since,
  on: 'f',
  where(_since, { bind, since: versions }) {
    // selectParcels looks up the versions. They are absent if the query only checks whether the field is
    // known.
    if (versions === undefined) return undefined;
    if (versions.first === null) return 'false';
    const isLater = `f.row_version >= ${bind(versions.first)}::bigint`;
    return versions.before.length === 0
      ? isLater
      : `${isLater} and f.row_version <> all (${bind(versions.before)}::bigint[])`;
  },
});
