import type { ReportSnapshot } from '../../../shared/comping/comp-report.ts';
import type { ResultLine } from '../../../shared/comping/comp-report-result.ts';
import { clipLine, pathOf } from '../../../shared/drawing/drawing-lines.ts';
import { scaleBarOf, type View, viewOf } from '../../../shared/drawing/map-extent.ts';
import { boxSql } from '../../../shared/geo/box.ts';
import { decodeLines } from '../../../shared/geo/geometry-codec.ts';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { count } from '../../../shared/model/figures.ts';
import { listViewFeatures } from '../../../shared/parcels/map-statements.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { Text } from '../frame/layout.tsx';
import { nameOf } from './comping-list.tsx';

const WIDTH = 900;
const HEIGHT = 480;
const FEET_PER_MILE = 5_280;

/** Margin around the subject and its comps. */
const MARGIN_PX = 40;
/** Only the longest roads are drawn. More would fill the map with gray. */
const MAX_ROADS = 1_500;

export type Ground = { view: View; roads: Position[][] };

/** The map area of the subject and its chosen comps, with current roads. */
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
  const values = { box: boxSql(view.box), kind: 'roads', limit: MAX_ROADS };
  const rows = await listViewFeatures(db, values);
  return { view, roads: rows.flatMap(({ geometry }) => decodeLines(geometry)) };
}

type PictureProps = { snapshot: ReportSnapshot; lines: readonly ResultLine[]; ground: Ground };

/**
 * A map of the subject and its chosen comps, numbered as in the table. For print, shared reports, and
 * browsers without WebGL.
 */
export function Picture({ snapshot: { subject }, lines, ground: { view, roads } }: PictureProps) {
  const at = view.toPx;
  const [x, y] = at([subject.lon, subject.lat]);
  const bar = scaleBarOf(view, 220);
  const words =
    bar.feet < FEET_PER_MILE ? `${count(bar.feet)} ft` : `${(bar.feet / FEET_PER_MILE).toFixed(1)} mi`;
  return (
    <svg
      class="picture"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`This parcel and its ${lines.length} comps on a map, north up`}
    >
      <rect width={WIDTH} height={HEIGHT} class="ground" />
      <path
        d={pathOf(
          roads.flatMap(road => clipLine(road.map(at), [0, 0, WIDTH, HEIGHT])),
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
      <path d={`M24 ${HEIGHT - 22}v6h${bar.px}v-6`} class="bar-line" />
      <Text x={24 + bar.px / 2} y={HEIGHT - 26} words={words} />
      <path d={`M${WIDTH - 26} 48V18l-6 10m6 -10l6 10`} class="bar-line" />
      <Text x={WIDTH - 26} y={62} words="N" />
    </svg>
  );
}
