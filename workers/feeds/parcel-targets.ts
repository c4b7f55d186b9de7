import type { RowField } from '../../shared/feeds/file-feeds.ts';
import { PARCEL_FIELD_NAMES, PARCEL_FIELDS, type ParcelField } from '../../shared/model/parcel-fields.ts';
import type { TargetSpec } from './values/value-parser.ts';

/** Targets of a roll: the parcel fields, and the county and location if nothing else provides them. */
export type ParcelTarget = ParcelField | RowField;
const ROW_TARGETS: Record<RowField, TargetSpec> = {
  fips: {
    type: 'fips',
    doc: 'County FIPS code of the row, for files with several counties. If there are two columns, they are a state code and a county code',
  },
  longitude: {
    type: 'degrees',
    doc: 'For a source without shapes: longitude (WGS84)',
    unit: 'degrees',
  },
  latitude: {
    type: 'degrees',
    doc: 'For a source without shapes: latitude (WGS84)',
    unit: 'degrees',
  },
};
export const PARCEL_TARGETS: readonly ParcelTarget[] = [
  ...(Object.keys(ROW_TARGETS) as RowField[]),
  ...PARCEL_FIELD_NAMES,
];
export const PARCEL_SPECS: Record<ParcelTarget, TargetSpec> = { ...PARCEL_FIELDS, ...ROW_TARGETS };
