import { ALL_FIELDS } from '../../shared/model/parcel-fields.ts';

/** A response as text for a model, with units and without nulls. Lists of objects become tables. */

/** About 2,000 tokens, at four characters each. */
export const MAX_CHARS = 8_000;
/** Reserved for the lines after a list, which explain how to continue. */
const RESERVE = 400;

type Fields = Record<string, unknown>;

/** Short forms of the units that parcel fields have. */
const WRITTEN: Readonly<Record<string, string>> = {
  feet: 'ft',
  'meters above sea level': 'm',
  percent: '%',
  'square feet': 'sq ft',
};

/** Units of other fields, by field name. */
const UNITS: readonly [RegExp, string][] = [
  // Doesn't match `with_acres`, which is a number of parcels.
  [/^(?!with_)(.*_)?acres$|^lot_size$/, 'acres'],
  [/_ft$/, 'ft'],
  [/_percent(_min|_max)?$|^confidence_score$/, '%'],
  [/_months$/, 'months'],
  [/_years$/, 'years'],
  [/days_on_market$/, 'days'],
  [/_cents$/, 'US cents'],
  [/_ppa$/, 'USD per acre'],
  [/(^|_)(price|value|amount|fee|fees|costs?|profit|spend)$/, 'USD'],
];

function unitOf(path: string): string | undefined {
  // Each value in `filled` is the share of parcels that have the field.
  if (path.startsWith('filled.')) return undefined;
  const name = lastSegment(path);
  const declared = ALL_FIELDS[name]?.unit;
  if (declared !== undefined) return WRITTEN[declared] ?? declared;
  return UNITS.find(([pattern]) => pattern.test(name))?.[1];
}

/** Fields that would only clutter a table, by the last part of their name or all of it. */
const NOT_IN_TABLES = new Set([
  'point',
  'latitude',
  'longitude',
  'photos',
  'source',
  'assemblage.id',
  'assemblage.touching_parcels',
  'assemblage.touching_acres',
]);

/** Omitted if there is an `effective_acres` field, which equals one of these. */
const ACRES_BEHIND = new Set(['acres', 'calculated_acres']);

/** Paging is described in words. */
const PAGING = new Set(['count', 'next', 'previous']);

/** @param query the call's query @param omitted fields that a model doesn't need */
export function textOf(answer: Fields, query: Fields, omitted: readonly string[] = []): string {
  const lists: [string, Fields[]][] = [];
  const lines: string[] = [];
  const paged = 'count' in answer && 'results' in answer;
  for (const [name, value] of flat(answer)) {
    if (omitted.includes(name.split('.')[0]!)) continue;
    if (isTable(value)) lists.push([name, value]);
    else if (!(paged && PAGING.has(name))) lines.push(`${name}: ${written(name, value)}`);
  }
  let remaining = MAX_CHARS - RESERVE - lines.reduce((sum, line) => sum + line.length + 1, 0);
  for (const [name, rows] of lists) {
    if (rows.length === 1 && !paged) {
      const fields = [...flat(rows[0]!)].map(([field, value]) => `${field}: ${written(field, value)}`);
      lines.push(`${name}: 1`, ...fields);
      continue;
    }
    const { head, body } = table(rows, omitted);
    const shown = fitting(body, remaining - head.join('\n').length);
    const title = paged ? pageTitle(answer, query, rows.length) : `${name}: ${rows.length}`;
    lines.push(title, ...head, ...body.slice(0, shown));
    if (shown < rows.length) lines.push(cut(shown, rows.length, paged ? query : undefined));
    remaining -= [...head, ...body.slice(0, shown)].join('\n').length;
  }
  if (paged && lists.length === 0) lines.push(pageTitle(answer, query, 0));
  return truncate(lines.join('\n') || 'No results.');
}

/** If the text is still too long, cuts it off at the end of a line. */
export function truncate(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  const start = text.slice(0, MAX_CHARS - RESERVE);
  return `${start.slice(0, start.lastIndexOf('\n'))}\n… truncated. The structured content has everything.`;
}

function pageTitle({ count, next }: Fields, query: Fields, rows: number): string {
  const page = Number(query.page ?? 1);
  const more = next === null ? '' : ` More: page=${page + 1}.`;
  return `${count} found, ${rows} on page ${page}.${more}`;
}

function cut(shown: number, rows: number, query: Fields | undefined): string {
  const left = `… ${rows - shown} of the ${rows} rows are only in the structured content.`;
  if (query === undefined) return left;
  const before = (Number(query.page ?? 1) - 1) * Number(query.page_size ?? rows);
  let size = shown;
  while (before % size !== 0) size--;
  return `${left} To continue here: page_size=${size}, page=${Math.floor((before + shown) / size) + 1}.`;
}

function fitting(rows: readonly string[], remaining: number): number {
  let left = remaining;
  const firstTooLong = rows.findIndex(row => {
    left -= row.length + 1;
    return left < 0;
  });
  return firstTooLong < 0 ? rows.length : Math.max(1, firstTooLong);
}

/** The fields that have a value. Names of nested fields contain dots. */
function* flat(fields: Fields, prefix = ''): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(fields)) {
    if (isEmpty(value)) continue;
    const path = prefix + name;
    if (isGeometry(value)) yield [path, `${value.type} of ${vertices(value.coordinates)} vertices`];
    else if (isObject(value)) yield* flat(value, `${path}.`);
    else yield [path, value];
  }
}

/** A table of rows. Values that are the same in all rows are listed before the table. */
function table(rows: readonly Fields[], omitted: readonly string[]): { head: string[]; body: string[] } {
  // Omit the URLs of parcels, which all follow one pattern, and of listings, which have an address. Keep a
  // webhook's URL, because it identifies the webhook.
  const isPlace = rows.some(row => 'property_id' in row || 'address' in row);
  const isShown = (name: string) =>
    !NOT_IN_TABLES.has(lastSegment(name)) &&
    !NOT_IN_TABLES.has(name) &&
    !omitted.includes(name) &&
    !(isPlace && lastSegment(name) === 'url');
  const cells = rows.map(row => new Map([...flat(row)].filter(([name]) => isShown(name))));
  const all = [...new Set(cells.flatMap(row => [...row.keys()]))];
  const names = all.includes('effective_acres') ? all.filter(name => !ACRES_BEHIND.has(name)) : all;
  const same = names.filter(
    name => rows.length > 1 && cells.every(row => short(row.get(name)) === short(cells[0]!.get(name))),
  );
  const columns = names.filter(name => !same.includes(name));
  const head = [
    ...(same.length > 0
      ? [`all: ${same.map(name => `${name} ${written(name, cells[0]!.get(name))}`).join(', ')}`]
      : []),
    ...webAddress(rows),
    columns.map(named).join(' | '),
  ];
  const line = (row: Map<string, unknown>) => columns.map(name => short(row.get(name))).join(' | ');
  return { head, body: cells.map(row => line(row).replace(/[ |]+$/, '')) };
}

function webAddress(rows: readonly Fields[]): string[] {
  const [{ url, property_id: id }] = rows as [Fields];
  if (typeof url !== 'string' || id === undefined || !url.endsWith(String(id))) return [];
  return [`map: ${url.slice(0, -String(id).length)}<property_id>`];
}

const lastSegment = (path: string) => path.slice(path.lastIndexOf('.') + 1);

function named(path: string): string {
  const unit = unitOf(path);
  return unit === undefined || path.endsWith(unit) ? path : `${path} (${unit})`;
}

function written(path: string, value: unknown): string {
  const unit = typeof value === 'number' ? unitOf(path) : undefined;
  return unit === undefined ? short(value) : `${short(value)} ${unit}`;
}

const MIDNIGHT = /^(\d{4}-\d{2}-\d{2})T00:00:00(\.0+)?Z$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):\d{2}(\.\d+)?(?:Z|\+00:00)$/;

function short(value: unknown): string {
  if (isEmpty(value)) return '';
  if (isTable(value)) return `${value.length} items`;
  if (Array.isArray(value)) return value.map(short).join(', ');
  return (value instanceof Date ? value.toISOString() : String(value))
    .replace(MIDNIGHT, '$1')
    .replace(MOMENT, '$1 $2 UTC')
    .replaceAll(/\s*[\n|]\s*/g, ' ');
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const isTable = (value: unknown): value is Fields[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

const isGeometry = (value: unknown): value is { type: string; coordinates: unknown } =>
  isObject(value) && typeof value.type === 'string' && Array.isArray(value.coordinates);

function vertices(coordinates: unknown): number {
  if (!Array.isArray(coordinates)) return 0;
  return typeof coordinates[0] === 'number' ? 1 : coordinates.reduce((sum, part) => sum + vertices(part), 0);
}
