import { boxOfGeometry, boxSql, boxToE7, emptyBox, growBox, isEmptyBox } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { isMeasured } from '../../../shared/model/land-layers.ts';
import { copyBytes, copyValue, openCopy } from '../../../shared/platform/copy.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { sql } from '../../../shared/platform/statements.ts';
import { plainWords } from '../../../shared/regions/county-names.ts';
import type { PartCheck, RowNotes } from '../engine/check-part.ts';
import { checkPart, type DryRun } from '../engine/dry-run.ts';
import { readBatches } from '../engine/read-input.ts';
import type { Prepared, Recipe } from '../engine/recipe.ts';
import type { RunContext } from '../engine/run-context.ts';
import { countClass, countFilled, increment, newClasses, rejectDuplicates } from '../engine/run-counts.ts';
import { stageRows } from '../engine/stage-rows.ts';
import { type RejectWriter, withStages } from '../engine/stage-schema.ts';
import { coverageWarnings, layerPlaces } from './check-place.ts';
import { coveredBox } from './gate-layer.ts';
import { type DeclaredPlace, declaredPlace, featuresOutside, homeBoxes } from './gate-place.ts';
import { prepareVersion, recordVersion, type VersionFigures } from './layer-editions.ts';
import { currentVersion, type LayerScope, NO_COVERAGE } from './layer-version.ts';
import { compileLayerMapper } from './map-layer.ts';
import { mergeFeatures } from './merge-layer.ts';
import { stageFeature } from './stage-feature.ts';
import type { LayerFeed, VectorKind, VectorLayer } from './vector-layer.ts';

/** Share of a layer that has to be new for its table to be analyzed: autovacuum's own threshold. */
const ANALYZE_FROM = 0.1;

export const vectorRecipe = <Kind extends VectorKind>(
  layer: VectorLayer<Kind>,
): Recipe<LayerFeed<Kind>, StagedLayer> => ({
  tables: [sql('land/create_layer_stage')],
  stage: (run, feed) =>
    withStages(run, 1, ([connection], rejects) => stageFeatures(run, layer, feed, connection!, rejects)),
  compare,
  inputs: feed => [['layer', feed.layer]],
  isPresent: async run => (await currentVersion(run.db, run.feedId, run.last)) !== null,
  check: (dryRun, feed) => checkLayer(dryRun, layer, feed),
});

async function compare(
  tx: Db,
  run: RunContext,
  feed: LayerFeed,
  { extent: featuresBox, declared }: StagedLayer,
): Promise<Prepared> {
  const { feedId, counts } = run;
  await run.step('match', 'comparing with what is there', 0.68);
  await rejectDuplicates(
    tx,
    counts,
    'feeds/keep_first',
    {},
    { table: 'stage_layer', key: 'hash', order: 'row_no' },
  );
  await tx.execute('analyze stage_layer (hash)');
  const measured = await tx.run<VersionFigures>('land/measure_layer', { feed_id: feedId });
  const rows = recordVersion(counts, measured[0]!);
  const prepared = await prepareVersion(run, tx, feed, {
    words: 'features',
    rows,
    outside: await featuresOutside(tx, homeBoxes(feed.fips)),
    declared,
    version: { scope: scopeOf(feed, featuresBox), extent: featuresBox },
    covered: ({ scope }) => coveredBox(scope),
    boxed: isMeasured(feed.kind) && feed.coverage === null && feed.fips === null,
    merge: tx => mergeFeatures(tx, feedId),
  });
  return {
    ...prepared,
    async tidy() {
      // What reads windows of the layer should know at once how full it is.
      if (counts.new > ANALYZE_FROM * rows) await run.db.execute('analyze layer_features');
    },
  };
}

/** The feed's coverage, or its county, whose box includes neighbors' roads, or the box of what was read. */
function scopeOf({ coverage, fips, reachM }: LayerFeed, featuresBox: Box | null): LayerScope {
  return { coverage: coverage ?? (fips === null ? featuresBox : null) ?? NO_COVERAGE, fips, reachM };
}

type StagedLayer = {
  /** The box around all features except rejected ones. Null without any. */
  extent: Box | null;
  declared: DeclaredPlace | null;
};

async function stageFeatures(
  run: RunContext,
  layer: VectorLayer,
  feed: LayerFeed,
  db: Db,
  rejects: RejectWriter,
): Promise<StagedLayer> {
  const { counts } = run;
  const place = declaredPlace(feed);
  const batches = readBatches(run, 'layer', feed.layer.input);
  const copy = openCopy(
    db,
    'copy stage_layer (row_no, hash, class, name, words, extent, geometry) from stdin',
  );
  const counting = newClasses();
  const notCounting = newClasses();
  Object.assign(counts, { counting, not_counting: notCounting });
  const featuresBox = emptyBox();
  const addBox = (box: Box) => {
    growBox(featuresBox, box);
    place.add(box);
  };
  await stageRows(
    { name: 'layer', batches, map: compileLayerMapper(layer, feed.layer) },
    { counts, rejects },
    ({ class: featureClass, called, label, at, values }, row, faults) => {
      if (featureClass === null) {
        countClass(notCounting, label);
        const extent = boxOfGeometry(row.geometry);
        if (extent) addBox(extent);
      } else {
        const result = stageFeature(layer, { class: featureClass, called, at }, row.geometry);
        if (!result.ok) {
          faults.reject(row, { field: 'geometry', reason: result.reason, message: result.message });
          return;
        }
        const { hash, extent, geometry } = result.feature;
        countClass(counting, label);
        for (const repair of result.repairs) increment(counts.repaired, repair);
        addBox(extent);
        const box = boxSql(boxToE7(extent));
        const words = layer.isNamed ? plainWords(called!) : null;
        const texts = [featureClass, called, words].map(copyValue).join('\t');
        copy.write(`${row.rowNo}\t${hash}\t${texts}\t${box}\t${copyBytes(geometry)}`);
      }
      countFilled(counts.filled, layer.rows.names, values);
    },
    () => copy.drain(),
  );
  await copy.end();
  return { extent: isEmptyBox(featuresBox) ? null : featuresBox, declared: place.result() };
}

async function checkLayer(dryRun: DryRun, layer: VectorLayer, feed: LayerFeed): Promise<void> {
  const { result } = dryRun;
  const places = layerPlaces(layer, feed);
  await checkPart(dryRun, 'layer', feed.layer, {
    fields: layer.rows,
    map: compileLayerMapper(layer, feed.layer),
    place: places.add,
    notes: noteClasses,
  });
  result.problems.push(...places.problems());
  result.extent = places.extent();
  result.warnings.push(...coverageWarnings(feed, result.extent));
}

/** Counts features by class, of those that count and of the others. */
function noteClasses(part: PartCheck): RowNotes {
  const classes = { counting: newClasses(), notCounting: newClasses() };
  part.classes = classes;
  return {
    used(_row, { class: featureClass, label }) {
      if (label !== undefined) countClass(classes[featureClass === null ? 'notCounting' : 'counting'], label);
    },
  };
}
