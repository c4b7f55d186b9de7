import { parseRow } from './exact-json.ts';
import { addBad, addRow, type Output } from './row-batch.ts';

/** Adds the row of one Feature. Its `id`, if any, becomes `values.$id`. */
export function addFeature(output: Output, text: string): void {
  const feature = parseObject(output, text, featureValues);
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
  addRow(output, values, feature.geometry);
}

export function addObject(output: Output, text: string): void {
  const values = parseObject(output, text, row => row);
  if (values !== null) addRow(output, values, null);
}

function featureValues(feature: unknown): unknown {
  if (!isObject(feature)) return null;
  const { id, properties } = feature;
  return typeof id === 'number' && id > Number.MAX_SAFE_INTEGER ? { id } : properties;
}

function parseObject(
  output: Output,
  text: string,
  valuesOf: (row: unknown) => unknown,
): Record<string, unknown> | null {
  let value: unknown;
  try {
    value = parseRow(text, valuesOf);
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
