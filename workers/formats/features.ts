import {
  addBad,
  addRow,
  type BadRow,
  newOutput,
  type Output,
  type RowBatch,
  type SourceRow,
} from './rows.ts';

// Apart from what reads files, for a thread that parses rows loads it.

/** Adds the row of one Feature, unread where the batch is for that. */
export function addFeature(output: Output, text: string): void {
  if (output.batch.unread === undefined) readFeature(output, text);
  else output.batch.unread.push({ rowNo: ++output.rowNo, text });
}

/** The rows of a batch, those left unread parsed one by one; ones that cannot be are added to `bad`. */
export function* readUnread({ rows, unread = [] }: RowBatch, bad: BadRow[]): Generator<SourceRow> {
  yield* rows;
  const output = newOutput(undefined);
  output.batch.bad = bad;
  for (const { rowNo, text } of unread) {
    output.rowNo = rowNo - 1;
    readFeature(output, text);
    yield* output.batch.rows.splice(0);
  }
}

/** Adds the row of one Feature; its `id`, when it has one, becomes `values.$id`. */
function readFeature(output: Output, text: string): void {
  const feature = parseObject(output, text);
  if (feature === null) return;
  if (feature.type !== 'Feature') {
    addBad(output, 'unreadable_row', 'not a GeoJSON Feature', text, 'type');
    return;
  }
  const { properties } = feature;
  if (properties !== null && properties !== undefined && !isObject(properties)) {
    addBad(output, 'unreadable_row', 'properties is not an object', text, 'properties');
    return;
  }
  const values = properties ?? {};
  if (feature.id !== undefined) values.$id = feature.id;
  addRow(output, values, feature.geometry, () => text);
}

export function addObject(output: Output, text: string): void {
  const values = parseObject(output, text);
  if (values !== null) addRow(output, values, null, () => text);
}

function parseObject(output: Output, text: string): Record<string, unknown> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    addBad(output, 'unreadable_row', `not valid JSON: ${(error as Error).message}`, text);
    return null;
  }
  if (isObject(value)) return value;
  addBad(output, 'unreadable_row', 'not a JSON object', text);
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
