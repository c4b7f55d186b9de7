// Writes workers/sample/data/washington_nh/generated-listings.csv: asking prices that nobody asked.
// There is no public listing feed for the sample's town, so its ACTIVE and PENDING listings are made up, from a fixed
// seed, on parcels of the real map. Run with `node --import tsx tools/generate-sample-listings.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Feature, MultiPolygon, Polygon } from 'geojson';
import { acres, areaSqM } from '../shared/geo/area.ts';
import { pointOnSurface } from '../shared/geo/point-on-surface.ts';
import { prepareBoundary } from '../shared/geo/prepare.ts';
import { rootDir } from '../shared/root.ts';
import { createRandom } from '../test/bench/generate/random.ts';

const FOLDER = join(rootDir, 'workers', 'sample', 'data', 'washington_nh');
const AS_OF = Date.UTC(2025, 8, 28);
const DAY_MS = 86_400_000;
const ACTIVE = 38;
const PENDING = 9;

type Parcel = Feature<Polygon | MultiPolygon, { id: string; address: string; building$: number }>;
const { features } = JSON.parse(readFileSync(join(FOLDER, 'parcels-2025.geojson'), 'utf8')) as {
  features: Parcel[];
};

const lots = features.flatMap(({ properties, geometry }) => {
  const prepared = prepareBoundary(geometry);
  if (!prepared.ok || properties.building$ !== 0) return [];
  const size = acres(areaSqM(prepared.polygons));
  return size > 0.15 && size < 80 ? [{ ...properties, size, point: pointOnSurface(prepared.polygons) }] : [];
});

const random = createRandom(20250928);
const day = (offset: number) => new Date(AS_OF - offset * DAY_MS).toISOString().slice(0, 10);
const lines = [
  'listing_id,status,apn,address,city,state,zip,latitude,longitude,acres,list_price,listed,status_changed,label',
];
for (let i = 0; i < ACTIVE + PENDING; i++) {
  const [lot] = lots.splice(Math.floor(random() * lots.length), 1);
  if (!lot) throw new Error('too few vacant lots');
  // About 12,000 USD for the first acre of this town, price per acre falling with size, and wide noise.
  const price = Math.round((12_000 * lot.size ** 0.62 * Math.exp((random() - 0.5) * 1.1)) / 100) * 100;
  const listed = Math.floor(5 + random() * 240);
  const pending = i >= ACTIVE;
  const changed = pending ? Math.floor(random() * Math.min(30, listed)) : listed;
  lines.push(
    [
      ...[
        `GEN-${String(i + 1).padStart(3, '0')}`,
        pending ? 'Pending' : 'Active',
        lot.id,
        lot.address,
        'Washington',
        'NH',
        '03280',
      ],
      ...[
        lot.point[1].toFixed(7),
        lot.point[0].toFixed(7),
        lot.size.toFixed(2),
        price,
        day(listed),
        day(changed),
        'Vacant land',
      ],
    ].join(','),
  );
}
writeFileSync(join(FOLDER, 'generated-listings.csv'), `${lines.join('\n')}\n`);
console.log(`${lines.length - 1} listings`);
