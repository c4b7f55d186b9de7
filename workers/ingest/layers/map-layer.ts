import type { Position } from '../../../shared/geo/geometry-types.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { fieldTarget, sourceColumns } from '../../feeds/feed-columns.ts';
import { tidyText } from '../../feeds/values/text-value.ts';
import type { Value } from '../../feeds/values/value-parser.ts';
import type { SourceRow } from '../../formats/row-batch.ts';
import { compileColumn } from '../engine/map-column.ts';
import { compileFill, type MappedRow, type Mapper, mapperOf, rejectRow } from '../engine/map-fields.ts';
import { columnsOf, type Resolve, resolver } from '../engine/source-columns.ts';
import type { LayerInput, OverlayValues, RawReader, VectorLayer } from './vector-layer.ts';

export type MappedFeature = MappedRow & {
  /** A road's class, NWI code, or flood zone. Null for an ignored feature. */
  class: string | null;
  /** The feature's label in the counts by class. */
  label: string;
  overlays?: OverlayValues;
  /** The feature's name, or null. */
  called: string | null;
  /** The location of a place, if its source has coordinates in columns. */
  at: Position | null;
};

/** Rejects roads without a known class, and flood zones that are unnamed or unknown to FEMA. */
export function compileLayerMapper(layer: VectorLayer, input: LayerInput): Mapper<MappedFeature> {
  const map = mapperOf(input, resolve => compile(layer, input, resolve));
  const prepare = (firstRows: readonly SourceRow[]): void => {
    map.prepare(firstRows);
    if (firstRows.length > 0) requireDecisive(layer, input, columnsOf(firstRows));
  };
  return Object.assign((row: SourceRow) => map(row), { prepare, mentions: map.mentions });
}

/** Default columns can be missing, but not all columns that determine the class. @throws `feed_mapping` */
function requireDecisive(
  { rows, requires }: VectorLayer,
  { columns }: LayerInput,
  available: readonly string[],
): void {
  if (requires.length === 0) return;
  const resolve = resolver(available);
  const isMapped = requires.some(name => {
    const spec = columns[name];
    return spec && compileColumn(fieldTarget(rows, name), spec, resolve);
  });
  if (isMapped) return;
  const wanted = requires.flatMap(name => sourceColumns(columns[name] ?? {}));
  const has = available.slice(0, 20).join(', ') || 'none';
  throw new PlatError(
    'feed_mapping',
    `layer.columns: the source has no column ${wanted.join(' or ')}. Its columns: ${has}. Map ${requires.join(' or ')}.`,
  );
}

function compile(layer: VectorLayer, input: LayerInput, resolve: Resolve) {
  const { rows, requires } = layer;
  const { names } = rows;
  const fill = compileFill(rows, input.columns, resolve);
  const classify = layer.classify(names, rawReader(layer, input, resolve));
  const fieldOf = (values: readonly Value[], name: string): Value => values[names.indexOf(name)] ?? null;

  return ({ values: source }: SourceRow) => {
    const { values, dropped } = fill(source);
    // A feature with a bad number still has its class.
    const fault = dropped?.find(({ field }) => rows.specs[field]?.type !== 'number');
    if (fault) return rejectRow(fault.field, fault.reason, fault.message);
    const verdict = classify(values as (string | null)[], source);
    if (verdict === null) {
      const verb = requires.length === 1 ? 'is' : 'are';
      return rejectRow(requires[0]!, 'missing_class', `${requires.join(' and ')} ${verb} empty`);
    }
    if ('reason' in verdict) return verdict;
    const [lon, lat] = [fieldOf(values, 'longitude'), fieldOf(values, 'latitude')];
    return {
      ok: true as const,
      ...verdict,
      called: fieldOf(values, 'name') as string | null,
      at: lon === null || lat === null ? null : ([lon, lat] as Position),
      values,
      dropped,
    };
  };
}

function rawReader({ rows, requires }: VectorLayer, { columns }: LayerInput, resolve: Resolve): RawReader {
  const name = requires.find(field => columns[field]);
  const spec = name && columns[name];
  const column = spec && compileColumn(fieldTarget(rows, name), spec, resolve);
  return source => (column ? tidyText(column.raw(source)) : null);
}
