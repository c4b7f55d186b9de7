import { PARCEL_FIELD_NAMES } from '../../../../shared/model/parcel-fields.ts';
import type { MappedRow } from '../../engine/map-fields.ts';

/** Few lots have this much land. Without a measured area, the unit may be wrong. */
const LARGE_ACRES = 10_000;
const ACRES = PARCEL_FIELD_NAMES.indexOf('acres');

/** Stated acres without a measured area to compare with. */
export function largeLots() {
  let count = 0;
  let largest = { rowNo: 0, acres: 0 };
  return {
    note(rowNo: number, values: MappedRow['values']): void {
      const acres = Number(values[ACRES] ?? 0);
      if (acres < LARGE_ACRES) return;
      count++;
      if (acres > largest.acres) largest = { rowNo, acres };
    },
    warnings(part: string): string[] {
      if (count === 0) return [];
      return [
        `${part}: ${count} parcels without a shape have ${LARGE_ACRES} acres or more; the largest has ${largest.acres} (row ${largest.rowNo}). Check the unit of acres, or skip them with skip_where.`,
      ];
    },
  };
}
