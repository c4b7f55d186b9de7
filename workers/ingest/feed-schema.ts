import { z } from 'zod';
import { COMMON_PROPERTIES, type FeedHead, GATES_PROPERTY, REQUIRED_PROPERTIES } from '../feeds/feed-head.ts';
import { ALL_KINDS, VECTOR_LAYERS } from './all-kinds.ts';
import type { Sections } from './engine/feed-kind.ts';
import { layerSchema } from './layers/layer-schema.ts';

/** The feed file is a public format (feed.schema.json): properties are added, never renamed. */

const sections: Sections = {
  ...Object.assign({}, ...ALL_KINDS.map(kind => kind.sections)),
  // Accepts the columns of every kind of layer. Resolving a feed reports columns that belong to another kind.
  layer: layerSchema(VECTOR_LAYERS),
};

export const feedSchema = z
  .strictObject({
    ...REQUIRED_PROPERTIES,
    ...z.strictObject({ ...COMMON_PROPERTIES, ...sections, ...GATES_PROPERTY }).partial().shape,
  })
  .meta({
    title: 'Plat feed',
    description:
      "A source of parcels, listings, land layers, or phone numbers, and how its columns map to Plat's fields.",
  });

export type FeedFile = FeedHead & { [section: string]: unknown };

export function feedJsonSchema(): string {
  const schema = z.toJSONSchema(feedSchema, { io: 'input' });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
