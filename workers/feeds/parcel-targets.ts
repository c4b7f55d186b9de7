import type { RowField } from '../../shared/feeds/file-feeds.ts';
import { PARCEL_FIELD_NAMES, PARCEL_FIELDS, type ParcelField } from '../../shared/model/parcel-fields.ts';
import type { TargetSpec } from './values/value-parser.ts';

/** Targets of a roll: the parcel fields, and a row's county and place where nothing else tells them. */
export type ParcelTarget = ParcelField | RowField;
const ROW_TARGETS: Record<RowField, TargetSpec> = {
  fips: {
    type: 'fips',
    doc: "County FIPS of the row, for files of several counties; two columns are a state's and a county's code",
  },
  longitude: { type: 'degrees', doc: 'Where the source has no shapes: degrees east, WGS84', unit: 'degrees' },
  latitude: { type: 'degrees', doc: 'Where the source has no shapes: degrees north, WGS84', unit: 'degrees' },
};
export const PARCEL_TARGETS: readonly ParcelTarget[] = [
  ...(Object.keys(ROW_TARGETS) as RowField[]),
  ...PARCEL_FIELD_NAMES,
];
export const PARCEL_SPECS: Record<ParcelTarget, TargetSpec> = { ...PARCEL_FIELDS, ...ROW_TARGETS };
