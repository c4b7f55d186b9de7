import sharp from 'sharp';
import { clipLine, clipRing, type Line, pathOf } from '../../shared/drawing/drawing-lines.ts';
import { element } from '../../shared/drawing/xml.ts';
import { boxSql, boxToE7 } from '../../shared/geo/box.ts';
import { decodeBoundary, decodeLines } from '../../shared/geo/geometry-codec.ts';
import { listElevation } from '../../shared/land/read-land.ts';
import type { Db } from '../../shared/platform/db.ts';
import { openElevation } from '../../shared/raster/elevation-grid.ts';
import { HILLSHADE_CELLS, hillshade } from '../../shared/raster/hillshade.ts';
import type { Pixels } from '../../shared/raster/warp.ts';
import { countiesIntersecting } from '../../shared/regions/county-polygons.ts';
import { type Frame, HEIGHT, WIDTH } from './image-frame.ts';

const GROUND = { r: 232, g: 238, b: 213 };
const ROAD = '#ffffff';
const ROAD_RIM = '#a39d8c';
const LOT = '#8d9579';

/** Road widths in meters, with a minimum in pixels so that roads stay visible. */
const ROAD_M = { highway: 24, normal: 14, local: 9, private: 5 } as const;
const MIN_ROAD_PX = 2;
/** With more lots than this, they are indistinguishable in a picture. */
const MAX_LOTS = 4_000;
/**
 * The shade of flat ground, the gray that it gets in the picture, and the factor by which slopes are
 * exaggerated.
 */
const FLAT_LIGHT = 180;
const FLAT_GRAY = 225;
const EXAGGERATED = 3;
/** Typical cell size of elevation grids. Finer shades would only be interpolation. */
const CELL_M = 10;
const MAX_BLUR_PX = 60;

/** A frame needs only a few decoded blocks of elevation data. */
const HEIGHTS_BYTES = 16_000_000;

/** Paints a whole picture of a place without imagery: roads, lots, and relief if elevation is known. */
export async function paintRelief(
  db: Db,
  frame: Frame,
  picture: Pixels,
  signal: AbortSignal,
): Promise<{ attribution: string }> {
  const light = await lightOf(db, frame, signal);
  const drawn = await drawingOf(db, frame);
  const canvas = sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: GROUND } });
  const layers = [
    ...(light === null ? [] : [{ input: light, blend: 'multiply' as const }]),
    { input: Buffer.from(drawn) },
  ];
  const data = await canvas.composite(layers).ensureAlpha().raw().toBuffer();
  picture.data.set(data);
  const from = light === null ? 'roads and parcels; no elevation data here' : 'elevation';
  return { attribution: `relief drawn from ${from}` };
}

async function lightOf(db: Db, frame: Frame, signal: AbortSignal): Promise<Buffer | null> {
  const tiles = await listElevation(
    db,
    frame.boxes.map(box => boxSql(boxToE7(box))),
  );
  if (tiles.length === 0) return null;
  // The shades cover a square as wide as the frame. The picture uses its middle.
  const cellPx = WIDTH / HILLSHADE_CELLS;
  const above = (WIDTH - HEIGHT) / 2;
  const elevation = openElevation(tiles, { signal, cacheBytes: HEIGHTS_BYTES });
  try {
    const placeOf = (column: number, row: number) =>
      frame.toPlace((column + 0.5) * cellPx, (row + 0.5) * cellPx - above);
    const shades = await hillshade(elevation, placeOf, frame.pixelM * cellPx);
    if (shades === null) return null;
    const greys = Uint8Array.from({ length: shades.length / 2 }, (_, i) =>
      shades[2 * i + 1] === 0 ? FLAT_GRAY : gray(shades[2 * i]!),
    );
    const raw = { width: HILLSHADE_CELLS, height: HILLSHADE_CELLS, channels: 1 as const };
    return await sharp(greys, { raw })
      .resize(WIDTH, WIDTH, { kernel: 'cubic' })
      .blur(Math.max(0.5, Math.min(MAX_BLUR_PX, CELL_M / frame.pixelM / 2)))
      .extract({ left: 0, top: above, width: WIDTH, height: HEIGHT })
      .toColourspace('srgb')
      .png()
      .toBuffer();
  } finally {
    await elevation.close();
  }
}

const gray = (light: number): number =>
  Math.max(90, Math.min(255, Math.round(FLAT_GRAY + EXAGGERATED * (light - FLAT_LIGHT))));

async function drawingOf(db: Db, frame: Frame): Promise<string> {
  const edge: [number, number, number, number] = [-20, -20, WIDTH + 20, HEIGHT + 20];
  const lots: Line[] = [];
  const roads = new Map<keyof typeof ROAD_M, Line[]>();
  for (const box of frame.boxes) {
    const place = boxSql(boxToE7(box));
    const parcels = await db.run<{ boundary: Buffer | null }>('parcels/list_parcels', {
      fips: countiesIntersecting(box),
      box: place,
      outlines: MAX_LOTS,
      least_area: 0,
      with_apns: false,
      with_acres: false,
      limit: MAX_LOTS,
    });
    for (const { boundary } of parcels) {
      if (boundary === null) continue;
      for (const ring of decodeBoundary(boundary).flat()) {
        const clipped = clipRing(ring.slice(0, -1).map(frame.toPx), edge);
        if (clipped.length > 0) lots.push(clipped);
      }
    }
    const features = await db.run<{ class: keyof typeof ROAD_M; geometry: Buffer }>('parcels/list_features', {
      box: place,
      kind: 'roads',
      least_area: 0,
      limit: MAX_LOTS,
    });
    for (const { class: name, geometry } of features) {
      const lines = decodeLines(geometry).flatMap(line => clipLine(line.map(frame.toPx), edge));
      roads.set(name, [...(roads.get(name) ?? []), ...lines]);
    }
  }
  const widthOf = (name: keyof typeof ROAD_M) => Math.max(MIN_ROAD_PX, (ROAD_M[name] ?? 5) / frame.pixelM);
  const byWidth = [...roads].sort(([a], [b]) => widthOf(a) - widthOf(b));
  const strokes = (stroke: string, wider: number) =>
    byWidth.map(([name, lines]) =>
      element('path', { d: pathOf(lines, false), stroke, 'stroke-width': widthOf(name) + wider }),
    );
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', width: WIDTH, height: HEIGHT },
    element('path', { d: pathOf(lots, true), fill: 'none', stroke: LOT, 'stroke-width': 1 }),
    element(
      'g',
      { fill: 'none', 'stroke-linecap': 'round', 'stroke-linejoin': 'round' },
      ...strokes(ROAD_RIM, 1.5),
      ...strokes(ROAD, 0),
    ),
  );
}
