import { type Client, sql } from '../base/db.ts';
import { LAYER_BITS, LAYER_KINDS, type LayerKind } from '../domain/land-layers.ts';
import type { BoxColumns } from '../geo/box.ts';
import type { Figures } from '../land/compute-land.ts';

export type ParcelRow = BoxColumns & {
  property_id: number;
  fips: number;
  county: string | null;
  state: string | null;
  apn: string | null;
  owner_name: string | null;
  owner_name_2: string | null;
  mail_address: string | null;
  mail_city: string | null;
  mail_state: string | null;
  mail_zip: string | null;
  situs_address: string | null;
  situs_city: string | null;
  situs_state: string | null;
  situs_zip: string | null;
  acres: number | null;
  calculated_acres: number | null;
  land_use_code: string | null;
  zoning_code: string | null;
  assessed_total_value: number | null;
  market_total_value: number | null;
  last_sale_date: string | null;
  last_sale_price: number | null;
  feed: string;
  created_run: number;
  changed_run: number;
  retired_run: number | null;
  retired_at: Date | null;
  /** Null without geometry, as are the digest and the places. */
  boundary: Uint8Array | null;
  shape_hash: string | null;
  x: number;
  y: number;
};

export type StoredLand = {
  computed_at: Date;
  /** Whether it was computed of the boundary that the parcel has now. */
  of_boundary: boolean;
  figures: Figures;
};

/** The version of a layer that was computed from. */
export type LayerVersion = {
  kind: LayerKind;
  feed: string;
  run_id: number;
  merged_at: Date | null;
  /** The version that readers see now; null when the layer is gone. */
  current: number | null;
};

export type KnownParcel = {
  parcel: ParcelRow;
  /** Null when nothing was ever computed. */
  land: StoredLand | null;
  versions: LayerVersion[];
  /** Kinds of layers that are marked to be computed anew. */
  waiting: LayerKind[];
};

type LandRow = Figures & { computed_at: Date | null; of_boundary: boolean; waiting: number };

export async function readKnownParcel(client: Client, propertyId: number): Promise<KnownParcel | null> {
  const read = async <Row extends object>(name: string) =>
    (await client.query<Row>(sql(name), [propertyId])).rows;
  const [parcel] = await read<ParcelRow>('parcels/read_known_parcel');
  if (parcel === undefined) return null;
  const [{ computed_at, of_boundary, waiting, ...figures }] = (await read<LandRow>(
    'parcels/read_stored_land',
  )) as [LandRow];
  return {
    parcel,
    land: computed_at === null ? null : { computed_at, of_boundary, figures },
    versions: await read<LayerVersion>('parcels/list_land_versions'),
    waiting: LAYER_KINDS.filter(kind => (waiting & LAYER_BITS[kind]) !== 0),
  };
}
