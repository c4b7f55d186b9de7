// Draws comps on a canvas above the map. Redrawing the map itself takes 0.1 s without a graphics card.
import type { Map as MapLibre } from 'maplibre-gl';

export type Mark = { id: string; lon: number; lat: number; kind: keyof typeof COLORS; chosen: boolean };

const COLORS = { SOLD: '#1f7a4d', PENDING: '#b35c00', ACTIVE: '#2257c4', SUBJECT: '#c2185b' } as const;
const POINTED = '#ffd43b';
/** Radii in pixels. */
const SMALL = 5;
const LARGE = 8;
/** Distance in pixels within which the pointer counts as being on a mark. */
const REACH = 10;

/**
 * @param outline rings of longitude and latitude
 * @param onPoint receives the mark under the mouse
 * @param onPick receives the clicked mark
 */
export function openMarks(
  map: MapLibre,
  outline: readonly [number, number][][],
  onPoint: (id: string | undefined) => void,
  onPick: (id: string) => void,
) {
  const pen = addCanvas(map);
  let marks: readonly Mark[] = [];
  let pointed: string | undefined;
  let due = 0;

  function draw(): void {
    const { width, height } = clear(pen, map);
    drawOutline(pen, map, outline);
    for (const mark of marks) {
      const { x, y } = map.project([mark.lon, mark.lat]);
      if (x < -LARGE || y < -LARGE || x > width + LARGE || y > height + LARGE) continue;
      if (mark.id === pointed) drawPointed(pen, x, y);
      drawShape(pen, mark, x, y);
    }
  }

  function soon(): void {
    cancelAnimationFrame(due);
    due = requestAnimationFrame(draw);
  }

  const at = (point: { x: number; y: number }) => nearestOf(marks, point, map);
  map.on('render', draw);
  map.on('resize', soon);
  map.on('mousemove', event => onPoint(at(event.point)));
  map.on('mouseout', () => onPoint(undefined));
  map.on('click', event => {
    const id = at(event.point);
    if (id !== undefined) onPick(id);
  });

  return {
    /** Later marks cover earlier ones. */
    show(these: readonly Mark[]): void {
      marks = these;
      soon();
    },
    point(id: string | undefined): void {
      if (id === pointed) return;
      pointed = id;
      soon();
    },
  };
}

type Pen = CanvasRenderingContext2D;

function addCanvas(map: MapLibre): Pen {
  const canvas = document.createElement('canvas');
  canvas.className = 'marks';
  map.getCanvasContainer().append(canvas);
  return canvas.getContext('2d')!;
}

function clear(pen: Pen, map: MapLibre): { width: number; height: number } {
  const { canvas } = pen;
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const ratio = devicePixelRatio;
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { width, height };
}

function drawOutline(pen: Pen, map: MapLibre, outline: readonly [number, number][][]): void {
  pen.beginPath();
  for (const ring of outline) {
    for (const [i, place] of ring.entries()) {
      const { x, y } = map.project(place);
      if (i === 0) pen.moveTo(x, y);
      else pen.lineTo(x, y);
    }
    pen.closePath();
  }
  pen.lineWidth = 2;
  pen.strokeStyle = COLORS.SUBJECT;
  pen.stroke();
}

function drawPointed(pen: Pen, x: number, y: number): void {
  pen.beginPath();
  pen.arc(x, y, 15, 0, 2 * Math.PI);
  pen.fillStyle = POINTED;
  pen.fill();
}

function nearestOf(
  marks: readonly Mark[],
  point: { x: number; y: number },
  map: MapLibre,
): string | undefined {
  let best: string | undefined;
  let nearest = REACH;
  for (const { id, lon, lat } of marks) {
    const { x, y } = map.project([lon, lat]);
    const away = Math.hypot(x - point.x, y - point.y);
    if (away < nearest) [nearest, best] = [away, id];
  }
  return best;
}

/**
 * A disc is sold, a square is pending, a triangle is for sale, and a star is the subject. Chosen comps have a
 * dark rim.
 */
function drawShape(pen: Pen, { kind, chosen }: Mark, x: number, y: number): void {
  const r = chosen ? LARGE : SMALL;
  pen.beginPath();
  if (kind === 'SOLD') pen.arc(x, y, r, 0, 2 * Math.PI);
  else if (kind === 'PENDING') pen.rect(x - r, y - r, 2 * r, 2 * r);
  else if (kind === 'ACTIVE') {
    pen.moveTo(x, y - r);
    pen.lineTo(x + r, y + r);
    pen.lineTo(x - r, y + r);
  } else
    for (let i = 0; i < 10; i++) {
      const [angle, reach] = [(Math.PI * (i - 2.5)) / 5, i % 2 === 0 ? 10 : 4];
      pen.lineTo(x + reach * Math.cos(angle), y + reach * Math.sin(angle));
    }
  pen.closePath();
  pen.lineWidth = chosen ? 6 : 2;
  pen.strokeStyle = '#ffffff';
  pen.stroke();
  if (chosen) {
    // Draw this inside the light line, so that the rim is visible on dark backgrounds.
    pen.lineWidth = 3;
    pen.strokeStyle = '#111111';
    pen.stroke();
  }
  pen.fillStyle = COLORS[kind];
  pen.fill();
}
