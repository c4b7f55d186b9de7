import { posix } from 'node:path';
import { importsOf } from './circles.ts';
import type { SourceFile } from './files.ts';

/** A folder in a wing, such as `shared/geo` or `api/pages`. Floors count from the ground. */
type Room = { name: string; floor: number; needs: Set<string> };
type Wing = { name: string; title: string; x: number; width: number; rooms: Room[] };
type Place = { x: number; y: number };

const ROOM = { width: 96, height: 28 };
const GAP = { x: 10, y: 24 };
const COLORS = { line: '#8b9790', wall: '#c4ccc7', room: '#f1f7f3', edge: '#4d7c63', flow: '#b4530a' };
/**
 * The top wing, which may import all others. Drawn as a band, because each of its files is a separate
 * command.
 */
const CLI = { title: "cli/: the operator's commands", height: 36 };
/** Space above the upper wings for the data flow. */
const SKY = CLI.height + 80;
const TITLE = 30;

/**
 * Draws the codebase as a house in SVG. Top-level folders are wings, and their subfolders are rooms, with
 * floors determined by imports. A room may import any room on the floors below. Only the arrows to the next
 * floor are drawn, so that none crosses a room.
 */
export function houseDrawing(files: SourceFile[]): string {
  const workers = wing('workers', 'ingest and compute', 10, 730, files);
  const api = wing('api', 'respond', 900, 310, files);
  const shared = wing('shared', 'what everything else uses', 10, 1_200, files);
  const upper = Math.max(heightOf(workers), heightOf(api));
  const ground = SKY + upper + 20;
  const height = ground + heightOf(shared) + 10;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1220 ${height}" font-family="system-ui, sans-serif" font-size="13">`,
    '<title>The rooms of Plat, and what flows through them</title>',
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8Z" fill="context-stroke"/></marker></defs>',
    `<rect width="1220" height="${height}" fill="#fff"/>`,
    ...drawFrame(CLI.title, 10, 10, 1_200, CLI.height),
    ...drawWing(workers, SKY, upper),
    ...drawWing(api, SKY, upper),
    ...drawWing(shared, ground, heightOf(shared)),
    ...drawFlow(SKY + upper / 2),
    '</svg>',
  ].join('\n')}\n`;
}

function wing(name: string, words: string, x: number, width: number, files: SourceFile[]): Wing {
  return { name, title: `${name}/: ${words}`, x, width, rooms: roomsOf(name, files) };
}

function roomsOf(wingName: string, files: SourceFile[]): Room[] {
  const roomOf = (path: string) => {
    const [top, folder, file] = path.split('/');
    return top === wingName && file !== undefined ? folder : undefined;
  };
  const needs = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const name = roomOf(path);
    if (name === undefined || !/\.tsx?$/.test(path)) continue;
    const others = needs.get(name) ?? new Set();
    needs.set(name, others);
    for (const target of importsOf(text)) {
      const other = roomOf(posix.join(posix.dirname(path), target));
      if (other !== undefined && other !== name) others.add(other);
    }
  }
  const floorOf = (name: string, above: string[] = []): number => {
    const way = [...above, name];
    if (above.includes(name)) throw new Error(`rooms of ${wingName}/ need each other: ${way.join(' > ')}`);
    return Math.max(0, ...[...(needs.get(name) ?? [])].map(other => floorOf(other, way) + 1));
  };
  return [...needs.keys()].sort().map(name => ({ name, floor: floorOf(name), needs: needs.get(name)! }));
}

const topFloor = (rooms: Room[]) => Math.max(...rooms.map(({ floor }) => floor));

const heightOf = ({ rooms }: Wing) => TITLE + (topFloor(rooms) + 1) * (ROOM.height + GAP.y);

/** Places rooms from the bottom up, each as close above its imports as the order of its floor allows. */
function placesOf({ x, width, rooms }: Wing, bottom: number): Map<string, Place> {
  const places = new Map<string, Place>();
  const middle = x + width / 2;
  const wanted = ({ needs }: Room) => {
    const under = [...needs].flatMap(name => places.get(name) ?? []);
    return under.length === 0 ? middle : under.reduce((sum, place) => sum + place.x, 0) / under.length;
  };
  for (let floor = 0; floor <= topFloor(rooms); floor++) {
    const row = rooms
      .filter(room => room.floor === floor)
      .map(room => ({ room, at: wanted(room) }))
      .sort((a, b) => a.at - b.at);
    const step = Math.min(ROOM.width + 4 * GAP.x, (width - GAP.x) / row.length);
    row.forEach(({ room }, i) => {
      places.set(room.name, {
        x: Math.round(middle + (i - (row.length - 1) / 2) * step),
        y: bottom - (floor + 1) * (ROOM.height + GAP.y) + GAP.y / 2,
      });
    });
  }
  return places;
}

function drawWing(wing: Wing, top: number, height: number): string[] {
  const places = placesOf(wing, top + height);
  const floors = new Map(wing.rooms.map(({ name, floor }) => [name, floor]));
  const arrows = wing.rooms.flatMap(({ name, floor, needs }) =>
    [...needs]
      .filter(other => floors.get(other) === floor - 1)
      .sort()
      .map(other => {
        const from = places.get(name)!;
        const to = places.get(other)!;
        return `<path d="M${from.x} ${from.y + ROOM.height}L${to.x} ${to.y - 1}" stroke="${COLORS.line}" marker-end="url(#tip)"/>`;
      }),
  );
  const boxes = [...places].map(
    ([name, { x, y }]) =>
      `<rect x="${x - ROOM.width / 2}" y="${y}" width="${ROOM.width}" height="${ROOM.height}" rx="5" fill="${COLORS.room}" stroke="${COLORS.edge}"/>` +
      `<text x="${x}" y="${y + 19}" text-anchor="middle">${name}</text>`,
  );
  return [...drawFrame(wing.title, wing.x, top, wing.width, height), ...arrows, ...boxes];
}

const drawFrame = (title: string, x: number, y: number, width: number, height: number): string[] => [
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="none" stroke="${COLORS.wall}"/>`,
  `<text x="${x + 12}" y="${y + 22}" font-weight="600">${title}</text>`,
];

/** The data flow: into the workers, then through the database to the API, and out to clients. */
function drawFlow(y: number): string[] {
  const arrow = (path: string) =>
    `<path d="${path}" stroke="${COLORS.flow}" stroke-width="2.5" marker-end="url(#tip)"/>`;
  const words = (x: number, at: number, text: string) =>
    `<text x="${x}" y="${at}" text-anchor="middle" fill="${COLORS.flow}" font-weight="600">${text}</text>`;
  return [
    words(375, SKY - 40, 'county rolls, listings, land layers'),
    arrow(`M375 ${SKY - 32}V${SKY - 2}`),
    arrow(`M742 ${y}H766`),
    `<path d="M770 ${y - 40}v80a50 12 0 0 0 100 0v-80a50 12 0 0 0 -100 0a50 12 0 0 0 100 0" fill="#fff7ed" stroke="${COLORS.flow}"/>`,
    words(820, y + 4, 'PostgreSQL'),
    `<text x="820" y="${y + 22}" text-anchor="middle" font-size="11">tables, queues</text>`,
    arrow(`M872 ${y}H896`),
    arrow(`M1010 ${SKY}V${SKY - 32}`),
    words(1_010, SKY - 40, 'programs (REST), assistants (MCP), people (pages)'),
  ];
}
