import { limitsOf } from '../../shared/net/context.ts';
import { splitLines } from './lines.ts';
import { addBad, addRow, type Output, takeFull, useCrs } from './output.ts';
import type { InputSpec, ReadContext, RowBatch } from './rows.ts';
import type { OpenedSource } from './source.ts';
import { utf8Bytes } from './text.ts';

/** Newline-delimited GeoJSON and RFC 8142 sequences: a Feature a line. */
export async function* readFeatureLines(
  source: OpenedSource,
  spec: InputSpec,
  output: Output,
  context: ReadContext,
): AsyncGenerator<RowBatch> {
  useCrs(output, null, source.name);
  yield* readLines(source, spec, output, context, addFeature);
}

/** Newline-delimited JSON: an object a line, without geometry. */
export async function* readObjectLines(
  source: OpenedSource,
  spec: InputSpec,
  output: Output,
  context: ReadContext,
): AsyncGenerator<RowBatch> {
  yield* readLines(source, spec, output, context, addObject);
}

async function* readLines(
  source: OpenedSource,
  spec: InputSpec,
  output: Output,
  context: ReadContext,
  add: (output: Output, text: string) => void,
): AsyncGenerator<RowBatch> {
  const { rowBytes } = limitsOf(context);
  for await (const pieces of splitLines(utf8Bytes(source.bytes(), spec.encoding), rowBytes)) {
    for (const piece of pieces) {
      const text = piece.bytes.toString('utf8');
      if (piece.tooLong) addBad(output, 'row_too_long', `the line is longer than ${rowBytes} bytes`, text);
      else add(output, text);
      const full = takeFull(output);
      if (full !== null) yield full;
    }
  }
}

/** Adds the row of one Feature; its `id`, when it has one, becomes `values.$id`. */
export function addFeature(output: Output, text: string): void {
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

function addObject(output: Output, text: string): void {
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
