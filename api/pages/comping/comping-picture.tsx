import type { ReportSnapshot } from '../../../shared/comping/comp-report.ts';
import type { ResultLine } from '../../../shared/comping/comp-report-result.ts';
import { clipLine, clipRing, type Line, pathOf } from '../../../shared/drawing/drawing-lines.ts';
import { type Point, scaleBarOf, type View, viewOf } from '../../../shared/drawing/map-extent.ts';
import { boxOfLine, boxSql } from '../../../shared/geo/box.ts';
import { decodeBoundary, decodeLines } from '../../../shared/geo/geometry-codec.ts';
import type { Box, Position } from '../../../shared/geo/geometry-types.ts';
import { count } from '../../../shared/model/figures.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { listViewFeatures } from '../../../shared/parcels/map-statements.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { Text } from '../frame/layout.tsx';
import { MapKey } from './comping-legend.tsx';
import { nameOf } from './comping-list.tsx';

const WIDTH = 900;
const HEIGHT = 480;
const FEET_PER_MILE = 5_280;

/** Margin around the subject and its comps. */
const MARGIN_PX = 40;
/** Only the longest roads are drawn. More would fill the map with gray. */
const MAX_ROADS = 1_500;

/** Only the largest lakes are drawn, and smaller ones have no room for their names. */
const MAX_LAKES = 200;
const NAMED_LAKE_PX = 36;

const FRAME: Box = [0, 0, WIDTH, HEIGHT];

type Lake = { name: string | null; rings: Line[] };

export type Ground = { view: View; roads: Position[][]; lakes: Lake[] };

/** The map area of the subject and its chosen comps, with current roads and lakes. */
export async function readGround(
  db: Db,
  { subject }: ReportSnapshot,
  lines: readonly ResultLine[],
): Promise<Ground> {
  const places: Position[] = [
    [subject.lon, subject.lat],
    ...subject.outline.flat(),
    ...lines.map(({ comp }): Position => [comp.lon, comp.lat]),
  ];
  const { metersPerPx } = viewOf([[places]], 0, WIDTH - 2 * MARGIN_PX, HEIGHT - 2 * MARGIN_PX);
  const view = viewOf([[places]], MARGIN_PX * metersPerPx, WIDTH, HEIGHT);
  const box = boxSql(view.box);
  const [roads, water] = await Promise.all([
    listViewFeatures(db, { box, kind: 'roads', limit: MAX_ROADS }),
    listViewFeatures(db, { box, kind: 'water', limit: MAX_LAKES }),
  ]);
  return {
    view,
    roads: roads.flatMap(({ geometry }) => decodeLines(geometry)),
    lakes: water.map(({ name, geometry }) => ({
      name: name && titleCase(name),
      rings: decodeBoundary(geometry)
        .flat()
        .map(ring => clipRing(ring.slice(0, -1).map(view.toPx), FRAME))
        .filter(ring => ring.length > 0),
    })),
  };
}

/** The names of lakes that are large enough, in the middle of their visible part. */
function lakeNames(lakes: readonly Lake[]): { name: string; at: Point }[] {
  return lakes.flatMap(({ name, rings }) => {
    if (!name || rings.length === 0) return [];
    const [west, north, east, south] = boxOfLine(rings.flat());
    if (Math.min(east - west, south - north) < NAMED_LAKE_PX) return [];
    return [{ name, at: [(west + east) / 2, (north + south) / 2] as Point }];
  });
}

type PictureProps = { snapshot: ReportSnapshot; lines: readonly ResultLine[]; ground: Ground };

/**
 * A map of the subject and its chosen comps, numbered as in the table. For print, shared reports, and
 * browsers without WebGL.
 */
export function Picture({ snapshot: { subject }, lines, ground: { view, roads, lakes } }: PictureProps) {
  const at = view.toPx;
  const [x, y] = at([subject.lon, subject.lat]);
  return (
    <figure class="picture">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`This parcel and its ${lines.length} comps on a map, north up`}
      >
        <rect width={WIDTH} height={HEIGHT} class="ground" />
        {lakes.map(({ rings }) => (
          <path d={pathOf(rings, true)} class="lake" fill-rule="evenodd" />
        ))}
        <path
          d={pathOf(
            roads.flatMap(road => clipLine(road.map(at), FRAME)),
            false,
          )}
          class="road"
        />
        <path
          d={pathOf(
            subject.outline.map(ring => ring.map(at)),
            true,
          )}
          class="outline"
          fill-rule="evenodd"
        />
        {lakeNames(lakes).map(({ name, at: [left, top] }) => (
          <Text x={left} y={top} class="lake-name" words={name} />
        ))}
        <path d={`M${x - 7} ${y}H${x + 7}M${x} ${y - 7}V${y + 7}`} class="cross" />
        <Text x={x + 9} y={y - 6} anchor="start" class="subject-word" words="This parcel" />
        {lines.map(({ comp }, i) => {
          const [px, py] = at([comp.lon, comp.lat]);
          return (
            <g class={`pin ${comp.status}`}>
              <title>{nameOf(comp)}</title>
              {comp.status === 'SOLD' && <circle cx={px} cy={py} r="11" />}
              {comp.status === 'PENDING' && <rect x={px - 10} y={py - 10} width="20" height="20" />}
              {comp.status === 'ACTIVE' && <path d={`M${px} ${py - 15}L${px + 14} ${py + 9}H${px - 14}Z`} />}
              <Text x={px} y={py + 4} words={String(i + 1)} />
            </g>
          );
        })}
        <ScaleAndNorth view={view} />
      </svg>
      <figcaption>
        <MapKey />
        <span>Numbers match the table.</span>
      </figcaption>
    </figure>
  );
}

function ScaleAndNorth({ view }: { view: View }) {
  const bar = scaleBarOf(view, 220);
  const words =
    bar.feet < FEET_PER_MILE ? `${count(bar.feet)} ft` : `${(bar.feet / FEET_PER_MILE).toFixed(1)} mi`;
  return (
    <>
      <path d={`M24 ${HEIGHT - 22}v6h${bar.px}v-6`} class="bar-line" />
      <Text x={24 + bar.px / 2} y={HEIGHT - 26} words={words} />
      <path d={`M${WIDTH - 26} 48V18l-6 10m6 -10l6 10`} class="bar-line" />
      <Text x={WIDTH - 26} y={62} words="N" />
    </>
  );
}
