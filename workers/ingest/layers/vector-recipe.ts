import type { Geometry } from 'geojson';
import {
  boxAround,
  boxOf,
  boxOfGeometry,
  boxOfLine,
  boxSql,
  boxToE7,
  emptyBox,
  growBox,
  isEmptyBox,
} from '../../../shared/geo/box.ts';
import { encodeBoundary, encodeLines } from '../../../shared/geo/geometry-codec.ts';
import type { Box, Position } from '../../../shared/geo/geometry-types.ts';
import { prepareBoundary, prepareLines } from '../../../shared/geo/prepare-geometry.ts';
import { isMeasured } from '../../../shared/model/land-layers.ts';
import { copyBytes, copyValue } from '../../../shared/platform/copy.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { sql } from '../../../shared/platform/statements.ts';
import { plainWords } from '../../../shared/regions/county-names.ts';
import type { PartCheck, RowNotes } from '../engine/check-part.ts';
import { checkPart, type DryRun } from '../engine/dry-run.ts';
import type { Prepared, Recipe } from '../engine/recipe.ts';
import { digest } from '../engine/row-hash.ts';
import type { RunContext } from '../engine/run-context.ts';
import { countClass, countFilled, increment, newClasses } from '../engine/run-counts.ts';
import { keepFirst, stageByCopy } from '../engine/stage-rows.ts';
import { type Places, placeProblems } from './check-files.ts';
import {
  coveredBox,
  type DeclaredPlace,
  declaredPlace,
  extentWords,
  featuresOutside,
  homeBoxes,
  layerArea,
  tilesOutside,
} from './gate-layer.ts';
import { mergeFeatures, prepareVersion, recordVersion, type VersionFigures } from './layer-editions.ts';
import { currentVersion, type LayerScope, NO_COVERAGE } from './layer-version.ts';
import { compileLayerMapper, type MappedFeature } from './map-layer.ts';
import { withClasses } from './overlay-classes.ts';
import type { LayerFeed, VectorKind, VectorLayer } from './vector-layer.ts';

/** Share of a layer that must be new for its table to be analyzed: autovacuum's own threshold. */
const ANALYZE_FROM = 0.1;

const ownLayer = (layer: VectorLayer, feed: LayerFeed): VectorLayer => layer.forFeed?.(feed) ?? layer;

export const vectorRecipe = <Kind extends VectorKind>(
  layer: VectorLayer<Kind>,
): Recipe<LayerFeed<Kind>, StagedLayer> => ({
  tables: [sql('land/create_layer_stage')],
  stage: (run, feed) => stageFeatures(run, ownLayer(layer, feed), feed),
  compare,
  inputs: feed => [['layer', feed.layer]],
  isPresent: async run => (await currentVersion(run.db, run.feedId, run.last)) !== null,
  check: (dryRun, feed) => checkLayer(dryRun, ownLayer(layer, feed), feed),
});

async function compare(
  tx: Db,
  run: RunContext,
  feed: LayerFeed,
  { extent: featuresBox, declared }: StagedLayer,
): Promise<Prepared> {
  const { feedId, counts } = run;
  await run.step('match', 'comparing with current data', 0.68);
  await keepFirst(tx, run, { table: 'stage_layer', key: 'hash', order: 'row_no' });
  await tx.execute('analyze stage_layer (hash)');
  const measured = await tx.run<VersionFigures>('land/measure_layer', { feed_id: feedId });
  const overlays = feed.overlays && (await withClasses(tx, feed.overlays));
  const rows = recordVersion(counts, measured[0]!);
  const prepared = await prepareVersion(run, tx, feed, {
    words: 'features',
    rows,
    outside: await featuresOutside(tx, homeBoxes(feed.fips)),
    declared,
    version: { scope: scopeOf(feed, featuresBox, overlays), extent: featuresBox },
    covered: ({ scope }) => coveredBox(scope),
    boxed: isMeasured(feed.kind) && feed.coverage === null && feed.fips === null,
    merge: tx => mergeFeatures(tx, feedId),
  });
  return {
    ...prepared,
    async tidy() {
      // Analyze now, so that PostgreSQL immediately knows how many features a window has.
      if (counts.new > ANALYZE_FROM * rows) await run.db.execute('analyze layer_features');
    },
  };
}

/**
 * The scope of a layer: the feed's coverage, otherwise its county, otherwise the box of its features. For a
 * county, the features' box isn't used, because it extends into neighboring counties.
 */
function scopeOf(
  { coverage, fips, reachM }: LayerFeed,
  featuresBox: Box | null,
  overlays: LayerScope['overlays'],
): LayerScope {
  return {
    coverage: coverage ?? (fips === null ? featuresBox : null) ?? NO_COVERAGE,
    fips,
    reachM,
    overlays,
  };
}

type StagedLayer = {
  /** The box around all features except rejected ones. Null if there are none. */
  extent: Box | null;
  declared: DeclaredPlace | null;
};

async function stageFeatures(run: RunContext, layer: VectorLayer, feed: LayerFeed): Promise<StagedLayer> {
  const { counts } = run;
  const place = declaredPlace(feed);
  const counting = newClasses();
  const notCounting = newClasses();
  Object.assign(counts, { counting, not_counting: notCounting });
  const featuresBox = emptyBox();
  const addBox = (box: Box) => {
    growBox(featuresBox, box);
    place.add(box);
  };
  await stageByCopy(
    run,
    { name: 'layer', input: feed.layer.input, map: compileLayerMapper(layer, feed.layer) },
    'copy stage_layer (row_no, hash, class, name, words, overlays, extent, geometry) from stdin',
    write =>
      ({ class: featureClass, called, label, at, overlays, values }, row, faults) => {
        if (featureClass === null) {
          countClass(notCounting, label);
          const extent = boxOfGeometry(row.geometry);
          if (extent) addBox(extent);
        } else {
          const result = stageFeature(layer, { class: featureClass, called, overlays, at }, row.geometry);
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
          const json = overlays === undefined ? null : JSON.stringify(overlays);
          const texts = [featureClass, called, words, json].map(copyValue).join('\t');
          write(`${row.rowNo}\t${hash}\t${texts}\t${box}\t${copyBytes(geometry)}`);
        }
        countFilled(counts.filled, layer.rows.names, values);
      },
  );
  return { extent: isEmptyBox(featuresBox) ? null : featuresBox, declared: place.result() };
}

async function checkLayer(dryRun: DryRun, layer: VectorLayer, feed: LayerFeed): Promise<void> {
  const { result } = dryRun;
  dryRun.mayBeEmpty = feed.gates.allow_empty;
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

function noteClasses(part: PartCheck): RowNotes {
  const classes = { counting: newClasses(), notCounting: newClasses() };
  part.classes = classes;
  return {
    used(_row, { class: featureClass, label }) {
      if (label !== undefined) countClass(classes[featureClass === null ? 'notCounting' : 'counting'], label);
    },
  };
}

type StagedFeature = { hash: string; extent: Box; geometry: Uint8Array };

type FeatureResult =
  | { ok: true; feature: StagedFeature; repairs: string[] }
  | { ok: false; reason: string; message: string };

type FeatureFacts = Pick<MappedFeature, 'called' | 'overlays' | 'at'> & { class: string };

/** Features with the same values and geometry have the same hash, whatever file they are in. */
export function stageFeature(
  { geometry: form }: Pick<VectorLayer, 'geometry'>,
  { class: featureClass, called, overlays, at }: FeatureFacts,
  shape: Geometry | null,
): FeatureResult {
  const geometry = shape ?? (at && { type: 'Point' as const, coordinates: [...at] });
  if (geometry === null)
    return { ok: false, reason: 'geometry_missing', message: 'The feature has no geometry.' };
  const encoded = ENCODED[form](geometry);
  if (!encoded.ok)
    return {
      ok: false,
      reason: `geometry_${encoded.reason}`,
      message: encoded.message + spelling(geometry.type),
    };
  const { bytes, extent, repairs } = encoded;
  const values = overlays === undefined ? null : JSON.stringify(overlays);
  const words = [featureClass, called, values].filter(text => text !== null).join('\0');
  const hash = digest(Buffer.concat([Buffer.from(`${words}\0`), bytes]));
  return { ok: true, feature: { hash, extent, geometry: bytes }, repairs };
}

const TYPES = ['Point', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon', 'GeometryCollection'];

/** A hint about wrong capitalization, because it's easy to miss that GeoJSON types are case-sensitive. */
function spelling(type: string): string {
  const suggestion = TYPES.find(name => name !== type && name.toLowerCase() === String(type).toLowerCase());
  return suggestion === undefined ? '' : `. GeoJSON writes '${type}' as ${suggestion}`;
}

function encodedLines(geometry: Geometry) {
  const prepared = prepareLines(geometry);
  if (!prepared.ok) return prepared;
  const { lines, repairs } = prepared;
  return { ok: true as const, repairs, extent: boxAround(lines.map(boxOfLine)), bytes: encodeLines(lines) };
}

/** GNIS puts a place with an unknown location at 0, 0. */
function encodedPoint(geometry: Geometry) {
  const [lon = Number.NaN, lat = Number.NaN] = geometry.type === 'Point' ? geometry.coordinates : [];
  const isPlace = Math.abs(lon) <= 180 && Math.abs(lat) <= 90 && (lon !== 0 || lat !== 0);
  if (!isPlace) return { ok: false as const, reason: 'not_a_point', message: 'A place needs a point' };
  const extent: Box = [lon, lat, lon, lat];
  return { ok: true as const, repairs: [], extent, bytes: encodeLines([[[lon, lat]]]) };
}

function encodedPolygons(geometry: Geometry) {
  const prepared = prepareBoundary(geometry);
  if (!prepared.ok) return prepared;
  const { polygons, repairs } = prepared;
  return { ok: true as const, repairs, extent: boxOf(polygons), bytes: encodeBoundary(polygons) };
}

/** Points become lines of one position. */
function encodedAny(geometry: Geometry) {
  switch (geometry.type) {
    case 'Point':
      return encodedPoint(geometry);
    case 'MultiPoint': {
      const places = geometry.coordinates.map(coordinates => encodedPoint({ type: 'Point', coordinates }));
      const bad = places.find(place => !place.ok);
      if (bad || places.length === 0) return bad ?? encodedPoint({ type: 'Point', coordinates: [] });
      const lines = geometry.coordinates.map(([lon, lat]): Position[] => [[lon!, lat!]]);
      return {
        ok: true as const,
        repairs: [],
        extent: boxAround(lines.map(boxOfLine)),
        bytes: encodeLines(lines),
      };
    }
    case 'LineString':
    case 'MultiLineString':
      return encodedLines(geometry);
    default:
      return encodedPolygons(geometry);
  }
}

const ENCODED = { areas: encodedPolygons, lines: encodedLines, points: encodedPoint, any: encodedAny };

function layerPlaces(layer: VectorLayer, feed: LayerFeed): Places & { extent(): Box | null } {
  const { fips, gates } = feed;
  const found = emptyBox();
  const boxes = homeBoxes(fips);
  let rows = 0;
  let outside = 0;
  const declared = declaredPlace(feed);
  const extent = () => (isEmptyBox(found) ? null : found);
  const grow = (box: Box | null) => {
    if (box === null) return;
    growBox(found, box);
    declared.add(box);
  };
  return {
    add({ geometry }, mapped) {
      if (mapped.class === null || mapped.class === undefined) {
        grow(boxOfGeometry(geometry));
        return null;
      }
      const result = stageFeature(
        layer,
        { class: mapped.class, called: mapped.called ?? null, overlays: undefined, at: mapped.at ?? null },
        geometry,
      );
      if (!result.ok) return { reason: result.reason, message: result.message, refuses: true };
      rows++;
      outside += tilesOutside([result.feature], boxes);
      grow(result.feature.extent);
      return null;
    },
    problems() {
      const figures = { outside, rows, extent: extent(), declared: declared.result() };
      return placeProblems('layer', figures, gates, { rows: 'features', area: layerArea(fips) });
    },
    extent,
  };
}

function coverageWarnings({ kind, fips, coverage }: LayerFeed, extent: Box | null): string[] {
  if (!isMeasured(kind) || fips !== null || coverage !== null || extent === null) return [];
  return [
    `layer: fips and coverage are not set, so Plat assumes that the layer is complete within the bounding box of its features (so far: ${extentWords(extent)}), and that nothing else exists there. A single stray feature enlarges the box.`,
  ];
}
