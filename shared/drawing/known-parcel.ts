import type { BoxColumns } from '../geo/box.ts';
import type { Access } from '../kernels/frontage/frontage.ts';
import type { Figures } from '../land/compute-land.ts';
import { LAYER_BITS, LAYER_KINDS, type LayerKind } from '../model/land-layers.ts';
import { type FieldValue, PARCEL_FIELD_NAMES, type ParcelField } from '../model/parcel-fields.ts';
import type { Db } from '../platform/db.ts';

type FieldValues = Record<ParcelField, FieldValue> &
  Record<'apn' | 'owner_name' | 'situs_address', string | null> & { acres: number | null };

export type ParcelRow = BoxColumns &
  FieldValues & {
    property_id: number;
    fips: number;
    county: string | null;
    state: string | null;
    calculated_acres: number | null;
    feed: string;
    created_run: number;
    changed_run: number;
    retired_run: number | null;
    retired_at: Date | null;
    /** Null if the parcel has no geometry, as are the hash, the box, and the location. */
    boundary: Uint8Array | null;
    shape_hash: string | null;
    x: number;
    y: number;
  };

export type StoredLand = {
  computed_at: Date;
  /** Whether the figures were computed from the parcel's current boundary. */
  of_boundary: boolean;
  /** Combined with the roll, unlike the figures. Null if unknown. */
  access: Access | null;
  waterfront: boolean | null;
  figures: Figures;
};

export type LayerVersion = {
  kind: LayerKind;
  feed: string;
  run_id: number;
  merged_at: Date | null;
  /** The layer's current version; null if the layer no longer exists. */
  current: number | null;
};

export type StoredParcel = {
  parcel: ParcelRow;
  /** Null before the first computation. */
  land: StoredLand | null;
  versions: LayerVersion[];
  /** Layer kinds whose figures are waiting to be recomputed. */
  waiting: LayerKind[];
};

type LandRow = Figures & {
  computed_at: Date | null;
  of_boundary: boolean;
  shown_access: Access | null;
  waterfront: boolean | null;
  waiting: number;
};

export async function readStoredParcel(db: Db, propertyId: number): Promise<StoredParcel | null> {
  const read = async <Row extends object>(name: string, fragments?: Record<string, string>) =>
    await db.run<Row>(name, { property_id: propertyId }, fragments);
  const roll = PARCEL_FIELD_NAMES.map(name => `p.${name}`).join(', ');
  const [parcel] = await read<ParcelRow>('parcels/read_known_parcel', { roll });
  if (parcel === undefined) return null;
  const [{ computed_at, of_boundary, shown_access: access, waterfront, waiting, ...figures }] =
    (await read<LandRow>('parcels/read_stored_land')) as [LandRow];
  return {
    parcel,
    land: computed_at === null ? null : { computed_at, of_boundary, access, waterfront, figures },
    versions: await read<LayerVersion>('parcels/list_land_versions'),
    waiting: LAYER_KINDS.filter(kind => (waiting & LAYER_BITS[kind]) !== 0),
  };
}
