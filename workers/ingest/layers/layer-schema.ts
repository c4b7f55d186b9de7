import { z } from 'zod';
import { type ColumnSpec, columnSchema, conditionSchema } from '../../feeds/column-schema.ts';
import { INPUT_PROPERTIES } from '../../formats/format-input.ts';
import type { VectorLayer } from './vector-layer.ts';

/** The section for layers with features. It accepts the columns of all these kinds. */
export const layerSchema = (layers: readonly VectorLayer[]) =>
  z
    .strictObject({
      ...INPUT_PROPERTIES,
      columns: z
        .strictObject(columnsOfAll(layers))
        // Overlays name their own columns. Resolving a feed reports names that its kind doesn't have.
        .catchall(columnSchema)
        .describe(usualWords(layers))
        .optional(),
      skip_where: z
        .array(conditionSchema)
        .describe(
          'Conditions for skipping features. A feature is skipped if any of them is true, and it is not counted in the coverage either.',
        )
        .optional(),
      ...settingsOfAll(layers),
    })
    .describe(`Kinds ${listed(layers.map(({ kind }) => kind))}: the source and its columns.`);

/** Properties that only some kinds have. Each kind documents its own properties. */
const settingsOfAll = (layers: readonly VectorLayer[]): Record<never, never> =>
  Object.assign({}, ...layers.map(({ settings }) => settings?.schema));

/** The columns of all kinds. A field that several kinds have is described for each of them. */
function columnsOfAll(layers: readonly VectorLayer[]) {
  const docs = new Map<string, string[]>();
  for (const { kind, rows } of layers)
    for (const name of rows.names) {
      const { doc } = rows.specs[name]!;
      const own = `Kind ${kind}: ${doc.charAt(0).toLowerCase()}${doc.slice(1)}.`;
      docs.set(name, [...(docs.get(name) ?? []), own]);
    }
  return Object.fromEntries(
    [...docs].map(([name, words]) => [name, columnSchema.optional().describe(words.join(' '))]),
  );
}

const PLACED = ['name', 'longitude', 'latitude'];

/** Lists the default columns, starting with those of a source's newest format. */
function usualWords(layers: readonly VectorLayer[]): string {
  const classes = layers.map(({ usual }) => {
    const ways = Object.entries(usual).flatMap(([name, spec]) =>
      PLACED.includes(name) || spec === undefined ? [] : [usualColumns(spec)],
    );
    const older = ways.flatMap(way => way.slice(1));
    return listed(ways.map(([first]) => first!)) + (older.length > 0 ? `, else ${listed(older)}` : '');
  });
  const names = layers.flatMap(({ usual }) => (typeof usual.name === 'string' ? [usual.name] : []));
  const unique = (words: readonly string[]) => [...new Set(words)].filter(word => word !== '');
  return `Columns for the class and the name of a feature. Default for the class: ${unique(classes).join('; ')}. Default for the name: ${unique(names).join(', ')}.`;
}

/** The usual source columns for a field, newest first. */
export function usualColumns(spec: string | ColumnSpec | undefined): string[] {
  if (spec === undefined || typeof spec === 'string') return spec === undefined ? [] : [spec];
  return spec.first_of?.map(item => (typeof item === 'string' ? item : (item.column ?? ''))) ?? [];
}

const listed = (words: readonly string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' and $1');
