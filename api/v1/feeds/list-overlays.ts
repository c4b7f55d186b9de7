import { z } from 'zod';
import { listOverlayFeeds } from '../../../shared/land/overlay-feeds.ts';
import { joinOverlays } from '../../../shared/model/overlays.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { fips } from '../common/request-schemas.ts';
import { OVERLAYS_EXAMPLE } from '../examples/examples.ts';

const overlay = z
  .object({
    name: z.string().describe('Name in the filter `overlays` and in the response for a parcel.'),
    label: z.string().describe('Name to show.'),
    note: z.string().nullable().describe('How far to trust the figures. Null if the feed has no note.'),
    distance_ft: z
      .number()
      .nullable()
      .describe('Distances to the nearest feature are measured up to this, in feet. Null if they are not.'),
    classes: z
      .array(
        z.object({
          class: z.string(),
          label: z.string().describe('Name to show.'),
          color: z.string().describe('Color on maps, such as #4e79a7.'),
          features: z.int().describe('Number of features in the layers below.'),
        }),
      )
      .describe('Classes, in the order of the legend.'),
    numbers: z
      .array(
        z.object({
          name: z.string(),
          label: z.string().describe('Name to show.'),
          unit: z.string().nullable().describe('Unit. Null if it has none.'),
        }),
      )
      .describe('Numbers that Plat averages over a parcel.'),
    layers: z
      .array(
        z.object({
          feed: z.string().describe('Name of the feed.'),
          merged_at: z.iso.datetime().describe('Time of the last merge.'),
          fips: z.string().nullable().describe('County that the layer covers completely. Null if none.'),
          coverage: z
            .array(z.number())
            .length(4)
            .describe(
              'Box in which the layer is complete: west, south, east, north, in degrees. All zeros if it covers only the county.',
            ),
        }),
      )
      .describe('The layers. Outside all of them, an overlay is unknown.'),
  })
  .meta({ id: 'Overlay' });

export const listOverlays = defineEndpoint({
  tag: 'Coverage',
  withoutContract: true,
  path: '/api/public/v1/overlays/',
  operationId: 'list_overlays',
  summary: 'List overlays',
  description:
    'Returns the overlays that parcels are measured on, such as zoning, with their classes and layers.',
  query: z.strictObject({
    fips: fips.optional().describe('Only layers that reach this county.'),
  }),
  response: {
    description: 'The overlays.',
    schema: z.object({ overlays: z.array(overlay) }),
    example: { summary: 'Zoning of a town', value: OVERLAYS_EXAMPLE },
  },
  handle: async ({ query }, { db }) => {
    const feeds = await listOverlayFeeds(db, query.fips === undefined ? null : Number(query.fips));
    const overlays = joinOverlays(feeds.flatMap(feed => feed.overlays)).map(joined => ({
      ...joined,
      note: joined.note ?? null,
      layers: feeds
        .filter(feed => feed.overlays.some(({ name }) => name === joined.name))
        .map(({ feed, merged_at, fips, coverage }) => ({
          feed,
          merged_at: merged_at.toISOString(),
          fips: fips === null ? null : fiveDigits(fips),
          coverage,
        })),
    }));
    return { body: { overlays }, tokens: 0 };
  },
});
