import type { Client } from '../../../shared/db.ts';
import { boxOfGeometry, boxSql, boxToE7, emptyBox, growBox, isEmptyBox } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/types.ts';
import { LAYER_FIELD_NAMES, type VectorKind } from '../../feeds/layer-schema.ts';
import type { RowBatch, SourceRow } from '../../formats/rows.ts';
import type { PlaceCount } from '../gate/declared-place.ts';
import type { DeclaredPlace } from '../gate/layer.ts';
import type { LayerMapper } from '../map/layer.ts';
import { bump, countFilled, type RunCounts } from '../run/counts.ts';
import { type RejectWriter, rawText } from '../run/rejects.ts';
import { bumpClass, newClasses } from './classes.ts';
import { copyBytes, copyValue, openCopy } from './copy.ts';
import { stageFeature } from './feature.ts';

/** A source of a land layer's features and how its rows map. */
export type LayerRows = {
  kind: VectorKind;
  batches: AsyncIterable<RowBatch>;
  map: LayerMapper;
  place: PlaceCount;
};

export type StagedLayer = {
  /** The box around all features, those that do not count included and rejected ones not; null without any. */
  extent: Box | null;
  declared: DeclaredPlace | null;
};

export type LayerStage = { copy: Client; rejects: RejectWriter; counts: RunCounts };

const COPY_LAYER = 'copy stage_layer (row_no, hash, class, extent, geometry) from stdin';

/** Maps, validates and stages the features of a layer. Those that do not count are counted by class and not kept. */
export async function stageLayer(input: LayerRows, stage: LayerStage): Promise<StagedLayer> {
  const { kind, map, place } = input;
  const { counts, rejects } = stage;
  const copy = openCopy(stage.copy, COPY_LAYER);
  const counting = newClasses();
  const notCounting = newClasses();
  Object.assign(counts, { counting, not_counting: notCounting });
  const coverage = emptyBox();
  let rows = 0;

  function reject(row: SourceRow, field: string | null, reason: string, message: string): void {
    bump(counts.rejected, reason);
    const raw = rawText(row.values, row.geometry);
    rejects.add({ input: 'layer', rowNo: row.rowNo, field, reason, message, raw });
  }

  function take(extent: Box): void {
    growBox(coverage, extent);
    place.take(extent);
  }

  function stageRow(row: SourceRow): void {
    const mapped = map(row);
    if (!mapped.ok) {
      if (mapped.reason === 'skipped') counts.skipped++;
      else reject(row, mapped.field, mapped.reason, mapped.message);
      return;
    }
    const { class: featureClass, label, values } = mapped;
    if (featureClass === null) {
      bumpClass(notCounting, label);
      const extent = boxOfGeometry(row.geometry);
      if (extent) take(extent);
    } else {
      const result = stageFeature(kind, featureClass, row.geometry);
      if (!result.ok) {
        reject(row, 'geometry', result.reason, result.message);
        return;
      }
      const { hash, extent, geometry } = result.feature;
      bumpClass(counting, label);
      for (const repair of result.repairs) bump(counts.repaired, repair);
      take(extent);
      copy.write(
        `${row.rowNo}\t${hash}\t${copyValue(featureClass)}\t${boxSql(boxToE7(extent))}\t${copyBytes(geometry)}`,
      );
    }
    countFilled(counts.filled, LAYER_FIELD_NAMES[kind], values);
  }

  for await (const batch of input.batches) {
    if (rows === 0) map.prepare(batch.rows);
    for (const row of batch.rows) stageRow(row);
    for (const { rowNo, field, reason, message, raw } of batch.bad) {
      bump(counts.rejected, reason);
      rejects.add({ input: 'layer', rowNo, field, reason, message, raw });
    }
    rows += batch.rows.length + batch.bad.length;
    counts.read.layer = rows;
    await Promise.all([copy.drain(), rejects.drain()]);
  }
  counts.read.layer = rows;
  await copy.end();
  return { extent: isEmptyBox(coverage) ? null : coverage, declared: place.result() };
}
