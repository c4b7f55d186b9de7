import { type Client, type Pool, snapshot, statement } from '../base/db.ts';
import { PlatError } from '../base/errors.ts';
import type { Values } from '../base/named-parameters.ts';
import { ALL_LAYERS, type RoadClass } from '../domain/land-layers.ts';
import { boxOf, boxSql } from '../geo/box.ts';
import { decodeBoundary, decodeLines } from '../geo/geometry-codec.ts';
import type { MultiPolygon } from '../geo/geometry-types.ts';
import type { Road } from '../kernels/frontage/frontage.ts';
import { type LandInput, readLand } from '../land/read-land.ts';
import { type Computed, computeParcel } from './computed.ts';
import { type KnownParcel, type ParcelRow, readKnownParcel } from './known-parcel.ts';
import { type View, viewOf } from './map-extent.ts';

export type Zone = { class: string; shape: MultiPolygon };

/** What is drawn around a parcel. */
export type Surroundings = {
  neighbors: { id: number; apn: string | null; shape: MultiPolygon }[];
  roads: Road[];
  wetlands: Zone[];
  flood: Zone[];
  /** What there is too much of to be drawn whole. */
  cut: string[];
};

/** All that a drawing shows. */
export type ParcelDrawing = {
  parcel: ParcelRow;
  shape: MultiPolygon;
  view: View;
  computed: Computed;
  surroundings: Surroundings;
};

const MAP_PX = { width: 900, height: 740 };

/**
 * Around a parcel is shown an eighth of its length, at least the roads on which a lot lies with
 * what is beyond them.
 */
const MARGIN_SHARE = 1 / 8;
const MIN_MARGIN_M = 40;
/** A highway's frontage may lie 60 m from its centerline. */
const HIGHWAY_MARGIN_M = 70;
/** Of a parcel without a road one wants to see where the next one is. */
const ROADLESS_MARGIN_M = 120;

/** More of a kind would not be distinguishable on a map of this size. */
const MAX_DRAWN = 4_000;

export type DrawOptions = {
  signal: AbortSignal;
  /** How many parcels, roads, wetlands and flood zones are drawn, of each. */
  mostDrawn?: number;
};

/**
 * What is known of a parcel; null when the id was never given. With `draw` also what a drawing of it
 * shows, as of one moment.
 * @throws PlatError `parcel_retired`, `parcel_shapeless` when there is nothing to draw
 */
export async function collectParcel(
  pool: Pool,
  propertyId: number,
  draw: DrawOptions | null,
): Promise<{ known: KnownParcel; drawn: ParcelDrawing | null } | null> {
  const read = await snapshot(pool, async client => {
    const known = await readKnownParcel(client, propertyId);
    if (known === null) return null;
    if (draw === null) return { known, ground: null };
    return { known, ground: await readGround(client, drawable(known.parcel), draw.mostDrawn ?? MAX_DRAWN) };
  });
  if (read === null) return null;
  const { known, ground } = read;
  if (ground === null || draw === null) return { known, drawn: null };
  const { input, ...rest } = ground;
  const computed = await computeParcel(input, draw.signal);
  return { known, drawn: { parcel: known.parcel, computed, ...rest } };
}

type Drawable = ParcelRow & { boundary: Uint8Array };

function drawable(parcel: ParcelRow): Drawable {
  const { property_id: id, retired_at: retired, boundary } = parcel;
  if (retired !== null) {
    const day = retired.toISOString().slice(0, 10);
    throw new PlatError(
      'parcel_retired',
      `Parcel ${id} left the roll on ${day}: it is not drawn. Without --svg it is shown.`,
      { status: 422 },
    );
  }
  if (boundary === null) {
    throw new PlatError(
      'parcel_shapeless',
      `Parcel ${id} has no geometry: there is nothing to draw. Without --svg it is shown.`,
      { status: 422 },
    );
  }
  return { ...parcel, boundary };
}

type Ground = { input: LandInput; shape: MultiPolygon; view: View; surroundings: Surroundings };

async function readGround(client: Client, parcel: Drawable, mostDrawn: number): Promise<Ground> {
  const input = await readLand(client, parcel.fips, [
    { ...parcel, layers: ALL_LAYERS, mark: 0, kept: parcel.shape_hash },
  ]);
  const shape = decodeBoundary(parcel.boundary);
  const marginM = Math.max(leastMarginM(input), MARGIN_SHARE * lengthM(shape));
  const view = viewOf(shape, marginM, MAP_PX.width, MAP_PX.height);
  return {
    input,
    shape,
    view,
    surroundings: await readSurroundings(client, view, parcel.property_id, mostDrawn),
  };
}

function leastMarginM({ roads }: LandInput): number {
  if (roads.length === 0) return ROADLESS_MARGIN_M;
  return roads.some(road => road.class === 'highway') ? HIGHWAY_MARGIN_M : MIN_MARGIN_M;
}

/** The longer side of a shape's extent, near enough to choose a margin by. */
function lengthM(shape: MultiPolygon): number {
  const [west, south, east, north] = boxOf(shape);
  const across = (east - west) * Math.cos(((south + north) / 2) * (Math.PI / 180));
  return 111_000 * Math.max(across, north - south);
}

async function readSurroundings(
  client: Client,
  view: View,
  propertyId: number,
  mostDrawn: number,
): Promise<Surroundings> {
  const box = boxSql(view.box);
  const cut: string[] = [];
  const read = async <Row extends object>(what: string, name: string, values: Values) => {
    const { rows } = await client.query<Row>(statement(name, { ...values, limit: mostDrawn + 1 }));
    if (rows.length > mostDrawn) cut.push(what);
    return rows.slice(0, mostDrawn);
  };
  type Neighbor = { property_id: number; apn: string | null; boundary: Uint8Array };
  type Feature = { class: string; geometry: Uint8Array };
  const zones = async (what: string, kind: string): Promise<Zone[]> => {
    const rows = await read<Feature>(what, 'parcels/list_view_features', { box, kind });
    return rows.map(row => ({ class: row.class, shape: decodeBoundary(row.geometry) }));
  };
  const parcels = await read<Neighbor>('other parcels', 'parcels/list_view_parcels', { box });
  const roads = await read<Feature>('roads', 'parcels/list_view_features', { box, kind: 'roads' });
  return {
    neighbors: parcels
      .filter(row => row.property_id !== propertyId)
      .map(({ property_id: id, apn, boundary }) => ({ id, apn, shape: decodeBoundary(boundary) })),
    roads: roads.flatMap(row =>
      decodeLines(row.geometry).map(line => ({ class: row.class as RoadClass, line })),
    ),
    wetlands: await zones('wetlands', 'wetlands'),
    flood: await zones('flood zones', 'flood'),
    cut,
  };
}
