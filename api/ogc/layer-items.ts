import type { z } from 'zod';
import { boxSql, boxToE7 } from '../../shared/geo/box.ts';
import { decodeLines, isBoundary } from '../../shared/geo/geometry-codec.ts';
import type { Box, Position } from '../../shared/geo/geometry-types.ts';
import type { Db } from '../../shared/platform/db.ts';
import { type Bind, binder } from '../../shared/platform/named-parameters.ts';
import { validationError } from '../http/error-responses.ts';
import { toPageResult } from '../http/paging.ts';
import {
  areaGeometry,
  type Collection,
  type Feature,
  type ItemsRequest,
  meets,
  NO_FEATURES,
} from './collection-parts.ts';

type Layer = {
  /** The layers with these features, as a condition on land_layers. */
  layersOf(bind: Bind): string;
  /** The features, as a condition on layer_features l. Default: all. */
  featuresOf?(bind: Bind): string;
  title: string;
  description: string;
  properties: z.ZodObject;
  propertiesOf(row: Pick<Row, 'class' | 'name' | 'overlays'>): object;
};

type Row = {
  id: number;
  feed_id: number;
  hash: string;
  class: string;
  name: string | null;
  overlays: Record<string, string | number> | null;
  geometry: Buffer;
};

export function layerItems(layer: Layer): Collection {
  const { title, description, properties } = layer;
  return {
    title,
    description,
    properties,
    queryables: {},
    async list({ boxes, conditions, page }: ItemsRequest, { db }) {
      const [condition] = conditions;
      if (condition !== undefined)
        throw validationError({ filter: [`${condition.property} is not a property. ${NOT_FILTERED}`] });
      if (boxes?.length === 0) return NO_FEATURES;
      let place = page.cursorPosition?.place;
      for (;;) {
        const rows = await listRows(db, layer, page.size + 1, bind => [
          ...(boxes === undefined ? [] : [inBoxes(boxes, bind)]),
          ...(place === undefined
            ? []
            : [`(l.feed_id, l.hash) > (${bind(place[0])}::int, ${bind(place[1])}::uuid)`]),
        ]);
        const found = toPageResult(page, rows, 0, row => [row.feed_id, row.hash]);
        const features = found.rows.map(row => featureOf(row, layer));
        const inside = boxes === undefined ? features : features.filter(each => meets(each, boxes));
        if (inside.length > 0 || found.next === null)
          return { ...NO_FEATURES, next: found.next, rows: inside };
        // The boxes around these features meet the bbox, but the features don't. An empty page would end
        // the list for some clients.
        const last = found.rows.at(-1)!;
        place = [last.feed_id, last.hash];
      }
    },
    async find(id, { db }) {
      if (!/^[0-9]{1,15}$/.test(id)) return undefined;
      const [row] = await listRows(db, layer, 1, bind => [`l.id = ${bind(id)}::bigint`]);
      return row && featureOf(row, layer);
    },
  };
}

const NOT_FILTERED = 'Features of this collection can be selected only with bbox.';

const inBoxes = (boxes: readonly Box[], bind: Bind): string =>
  `(${boxes.map(box => `l.extent && ${bind(boxSql(boxToE7(box)))}::box`).join(' or ')})`;

function listRows(
  db: Db,
  { layersOf, featuresOf = () => 'true' }: Layer,
  limit: number,
  conditions: (bind: Bind) => readonly string[],
): Promise<Row[]> {
  const values = { limit };
  const bind = binder(values);
  const where = conditions(bind).join(' and ') || 'true';
  return db.run<Row>('land/list_layer_items', values, {
    layers: layersOf(bind),
    features: featuresOf(bind),
    where,
  });
}

function featureOf({ id, geometry, ...row }: Row, layer: Layer): Feature {
  return { type: 'Feature', id, geometry: shapeOf(geometry), properties: layer.propertiesOf(row) };
}

function shapeOf(bytes: Buffer): Feature['geometry'] {
  if (isBoundary(bytes)) return areaGeometry(bytes);
  const lines = decodeLines(bytes);
  const points = lines.flatMap(line => (line.every(at => isSame(at, line[0]!)) ? [line[0]!] : []));
  if (points.length === lines.length)
    return points.length === 1
      ? { type: 'Point', coordinates: points[0]! }
      : { type: 'MultiPoint', coordinates: points };
  return lines.length === 1
    ? { type: 'LineString', coordinates: lines[0]! }
    : { type: 'MultiLineString', coordinates: lines };
}

const isSame = (a: Position, b: Position): boolean => a[0] === b[0] && a[1] === b[1];
