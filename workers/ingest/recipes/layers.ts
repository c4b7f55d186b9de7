import { type Client, sql } from '../../../shared/db.ts';
import type { Box } from '../../../shared/geo/types.ts';
import type { LayerFeed } from '../../feeds/feed.ts';
import { coveredBox } from '../gate/layer.ts';
import { declaredPlace, featuresOutside, homeBoxes } from '../gate/place.ts';
import { compileLayerMapper } from '../map/layer.ts';
import { mergeFeatures } from '../merge/layer.ts';
import type { RunContext } from '../run/context.ts';
import { type LayerScope, NOWHERE } from '../run/layer-version.ts';
import { readBatches } from '../run/read.ts';
import { withStages } from '../run/stage-schema.ts';
import { type StagedLayer, stageLayer } from '../stage/layer.ts';
import type { Prepared, Recipe } from './recipe.ts';
import { prepareVersion, recordVersion, type VersionFigures } from './version.ts';

/** Share of a layer that has to be new for its table to be analyzed: autovacuum's own threshold. */
const ANALYZE_FROM = 0.1;

/** Of roads, wetlands and flood zones the features that count are kept. */
export const layers: Recipe<LayerFeed, StagedLayer> = {
  tables: [sql('layers/create_layer_stage')],
  stage: (run, feed, sources) => stageAll(run, feed, sources.layer),
  compare,
};

async function compare(
  client: Client,
  run: RunContext,
  feed: LayerFeed,
  { extent: found, declared }: StagedLayer,
): Promise<Prepared> {
  const { pool, feedId, counts } = run;
  await run.step('match', 'comparing with what is there', 0.68);
  const { rows: settled } = await client.query<{ identical: number }>(sql('layers/resolve_layer_duplicates'));
  counts.identical = settled[0]!.identical;
  await client.query('analyze stage_layer (hash)');
  const { rows: measured } = await client.query<VersionFigures>(sql('layers/measure_layer'), [feedId]);
  const rows = recordVersion(counts, measured[0]!);
  const prepared = await prepareVersion(run, client, feed, {
    words: 'features',
    rows,
    outside: await featuresOutside(client, homeBoxes(feed.fips)),
    declared,
    version: { scope: scopeOf(feed, found), extent: found },
    covered: ({ scope }) => coveredBox(scope),
    boxed: feed.coverage === null && feed.fips === null,
    merge: transaction => mergeFeatures(transaction, feedId),
  });
  return {
    ...prepared,
    async tidy() {
      // What reads windows of the layer should know at once how full it is.
      if (counts.new > ANALYZE_FROM * rows) await pool.query('analyze layer_features');
    },
  };
}

/**
 * Where a layer is complete: where its feed says, else in the county that it names, else in the box around what was read. A
 * county's box takes in land of its neighbours, whose roads are in other files.
 */
function scopeOf({ coverage, fips, reachM }: LayerFeed, found: Box | null): LayerScope {
  return { coverage: coverage ?? (fips === null ? found : null) ?? NOWHERE, fips, reachM };
}

async function stageAll(
  run: RunContext,
  feed: LayerFeed,
  override: string | undefined,
): Promise<StagedLayer> {
  const { counts } = run;
  const { kind, layer } = feed;
  const batches = readBatches(run, { name: 'layer', spec: layer.input, baseDir: feed.baseDir, override });
  const map = compileLayerMapper(kind, layer);
  return withStages(run, 1, ([copy], rejects) =>
    stageLayer(
      { name: 'layer', kind, batches, map, place: declaredPlace(feed) },
      { copy: copy!, rejects, counts },
    ),
  );
}
