import { copyBytes, copyValue, openCopy } from '../../../shared/copy.ts';
import type { Client } from '../../../shared/db.ts';
import { boxOfGeometry, boxSql, boxToE7, emptyBox, growBox, isEmptyBox } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/types.ts';
import { LAYER_FIELD_NAMES, type VectorKind } from '../../feeds/layer-schema.ts';
import type { DeclaredPlace, PlaceCount } from '../gate/place.ts';
import type { MappedFeature } from '../map/layer.ts';
import { bump, bumpClass, countFilled, newClasses, type RunCounts } from '../run/counts.ts';
import type { RejectWriter } from '../run/rejects.ts';
import { stageFeature } from './feature.ts';
import { type RowInput, stageRows } from './rows.ts';

/** A source of a land layer's features and how its rows map. */
export type LayerRows = RowInput<MappedFeature> & { kind: VectorKind; place: PlaceCount };

export type StagedLayer = {
  /** The box around all features, those that do not count included and rejected ones not; null without any. */
  extent: Box | null;
  declared: DeclaredPlace | null;
};

export type LayerStage = { copy: Client; rejects: RejectWriter; counts: RunCounts };

/** Maps, validates and stages the features of a layer. Those that do not count are counted by class and not kept. */
export async function stageLayer(input: LayerRows, stage: LayerStage): Promise<StagedLayer> {
  const { kind, place } = input;
  const { counts } = stage;
  const copy = openCopy(stage.copy, 'copy stage_layer (row_no, hash, class, extent, geometry) from stdin');
  const counting = newClasses();
  const notCounting = newClasses();
  Object.assign(counts, { counting, not_counting: notCounting });
  const found = emptyBox();
  const addBox = (box: Box) => {
    growBox(found, box);
    place.add(box);
  };
  await stageRows(
    input,
    stage,
    ({ class: featureClass, label, values }, row, faults) => {
      if (featureClass === null) {
        bumpClass(notCounting, label);
        const extent = boxOfGeometry(row.geometry);
        if (extent) addBox(extent);
      } else {
        const result = stageFeature(kind, featureClass, row.geometry);
        if (!result.ok) {
          faults.reject(row, { field: 'geometry', reason: result.reason, message: result.message });
          return;
        }
        const { hash, extent, geometry } = result.feature;
        bumpClass(counting, label);
        for (const repair of result.repairs) bump(counts.repaired, repair);
        addBox(extent);
        const box = boxSql(boxToE7(extent));
        copy.write(`${row.rowNo}\t${hash}\t${copyValue(featureClass)}\t${box}\t${copyBytes(geometry)}`);
      }
      countFilled(counts.filled, LAYER_FIELD_NAMES[kind], values);
    },
    () => copy.drain(),
  );
  await copy.end();
  return { extent: isEmptyBox(found) ? null : found, declared: place.result() };
}
