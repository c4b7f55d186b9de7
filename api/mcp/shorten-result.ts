/** Results that are too long for an assistant's context. */

/** 25,000 tokens, at four characters each. */
export const MAX_STRUCTURED_CHARS = 100_000;
/** Fields longer than this are omitted first. */
const MAX_FIELD_CHARS = 5_000;
/** Reserved for `shortened`. */
const RESERVE = 1_000;
/** Fields that are omitted first because many rows have long ones. */
const BULKY = new Set(['photos']);

type Fields = Record<string, unknown>;

/** What is missing from a result, and how to continue. */
export type Shortened = {
  /** Names of omitted fields. */
  omitted?: string[];
  /** The list that is cut: its name, the rows before the first one shown, those shown, and all of them. */
  list?: { name: string; skipped: number; rows: number; of: number };
};

/**
 * The result within `MAX_STRUCTURED_CHARS`. Omits long fields first, then rows of the longest list.
 * `shortened` in the result says what is missing. @param skip rows of the longest list to skip
 */
export function shorten(result: Fields, skip = 0): Fields & { shortened?: Shortened } {
  if (skip === 0 && lengthOf(result) <= MAX_STRUCTURED_CHARS) return result;
  const list = longestList(result);
  const start = list === undefined ? result : { ...result, [list.name]: list.rows.slice(skip) };
  const omitted = new Set<string>();
  const isLong = lengthOf(start) > MAX_STRUCTURED_CHARS;
  const fields = isLong ? withoutLongFields(start, omitted) : start;
  const cut = list && cutList(fields, list, skip);
  const shortened: Shortened = {
    ...(omitted.size > 0 && { omitted: [...omitted] }),
    ...(cut !== undefined && cut.list.rows < cut.list.of && { list: cut.list }),
  };
  return { ...(cut?.fields ?? fields), ...(Object.keys(shortened).length > 0 && { shortened }) };
}

/** A line for the text. @param argument the tool's argument for reading the rest */
export function shortenedText({ omitted = [], list }: Shortened, argument: string | undefined): string {
  const parts = omitted.length > 0 ? [`Too long, and omitted: ${omitted.join(', ')}.`] : [];
  if (list !== undefined) {
    const { name, skipped, rows, of } = list;
    const last = skipped + rows;
    parts.push(`${name}: rows ${skipped + 1} to ${last} of ${of} in the structured content.`);
    if (last < of && argument !== undefined)
      parts.push(
        argument === 'skip' ? `To continue: skip=${last}.` : `To get all rows: ${argument}=${rows}.`,
      );
  }
  return parts.join(' ');
}

type List = { name: string; rows: unknown[] };

function longestList(result: Fields): List | undefined {
  const lists = Object.entries(result).flatMap(([name, rows]) =>
    Array.isArray(rows) ? [{ name, rows, length: lengthOf(rows) }] : [],
  );
  return lists.sort((a, b) => b.length - a.length)[0];
}

function cutList(fields: Fields, { name, rows: all }: List, skip: number) {
  const rows = fields[name] as unknown[];
  let left = MAX_STRUCTURED_CHARS - RESERVE - lengthOf({ ...fields, [name]: [] });
  const firstTooLong = rows.findIndex(row => {
    left -= lengthOf(row) + 1;
    return left < 0;
  });
  const shown = firstTooLong < 0 ? rows : rows.slice(0, firstTooLong);
  return {
    fields: { ...fields, [name]: shown },
    list: { name, skipped: skip, rows: shown.length, of: all.length },
  };
}

/** Without long fields of the result and its rows. @param omitted receives their names */
function withoutLongFields(result: Fields, omitted: Set<string>): Fields {
  const isKept = ([name, value]: [string, unknown]) => {
    const isLong = BULKY.has(name) || lengthOf(value) > MAX_FIELD_CHARS;
    if (isLong) omitted.add(name);
    return !isLong;
  };
  const kept = (row: unknown) =>
    isFields(row) ? Object.fromEntries(Object.entries(row).filter(isKept)) : row;
  return Object.fromEntries(
    Object.entries(result).flatMap(([name, value]): [string, unknown][] => {
      if (Array.isArray(value)) return [[name, value.map(kept)]];
      return isKept([name, value]) ? [[name, value]] : [];
    }),
  );
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
