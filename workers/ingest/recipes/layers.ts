import { sql } from '../../../shared/db.ts';
import type { Box } from '../../../shared/geo/types.ts';
import type { LayerFeed } from '../../feeds/feed.ts';
import { coveredBox } from '../gate/layer.ts';
import { declaredPlace, featuresOutside, homeBoxes } from '../gate/place.ts';
import { compileLayerMapper } from '../map/layer.ts';
import { mergeFeatures } from '../merge/layer.ts';
import type { RunContext } from '../run/context.ts';
import { type LayerScope, NOWHERE } from '../run/layer-version.ts';
import { chooseSource, readBatches } from '../run/read.ts';
import { createStage, withStage, withStages } from '../run/stage-schema.ts';
import { type StagedLayer, stageLayer } from '../stage/layer.ts';
import type { Prepared } from './recipe.ts';
import { prepareVersion, recordVersion, type VersionFigures } from './version.ts';

/** Share of a layer that has to be new for its table to be analyzed: autovacuum's own threshold. */
const ANALYZE_FROM = 0.1;

/**
 * The recipe of a feed of roads, wetlands or flood zones up to the gate: read and stage the features that count, drop
 * those that come twice, compare with the layer that is there.
 */
export async function prepareLayer(
  run: RunContext,
  feed: LayerFeed,
  sources: Record<string, string>,
): Promise<Prepared> {
  const { pool, runId, feedId, counts } = run;
  await createStage(pool, runId, [sql('layers/create_layer_stage')]);

  await run.step('stage', 'reading', 0);
  const { extent: found, declared } = await stageAll(run, feed, sources.layer);

  return withStage(pool, runId, async client => {
    await run.step('match', 'comparing with what is there', 0.68);
    const { rows: settled } = await client.query<{ identical: number }>(
      sql('layers/resolve_layer_duplicates'),
    );
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
  });
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
  const { pool, runId, counts } = run;
  const { kind, layer } = feed;
  const source = chooseSource(layer.input, feed.baseDir, override);
  const batches = readBatches(run, 'layer', source, { from: 0, to: 0.6 });
  const map = compileLayerMapper(kind, layer);
  return withStages(pool, runId, 1, ([copy], rejects) =>
    stageLayer(
      { name: 'layer', kind, batches, map, place: declaredPlace(feed) },
      { copy: copy!, rejects, counts },
    ),
  );
}
