import { addBad, addRow, type Output } from './row-batch.ts';

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
