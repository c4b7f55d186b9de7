import geographiclib from 'geographiclib-geodesic';

/**
 * A row in table `listings`, in the form that tests create. Dates are 'YYYY-MM-DD'. The location is in 1e-7
 * degrees.
 */
export type PlainListing = {
  id: string;
  status: 'ACTIVE' | 'PENDING' | 'SOLD' | 'OFF_MARKET';
  fips: number | null;
  zip: string;
  location: [lonE7: number, latE7: number] | null;
  lotAcres: number | null;
  price: number;
  listedDate: string | null;
  statusDate: string | null;
  soldDate: string | null;
  daysOnMarket: number | null;
  photos: string[];
};

/** Rings of positions on the grid of 1e-7 degrees. */
export type GridPolygon = [xE7: number, yE7: number][][];

export type PlainQuery = {
  fips?: number;
  zip?: string;
  point?: [number, number];
  dist?: number;
  polygons?: GridPolygon[];
  status?: string[];
  age?: number;
  dom_min?: number;
  dom_max?: number;
  acres_min?: number;
  acres_max?: number;
  min_photos?: number;
  order?: string;
};

const DAY_MS = 86_400_000;
const dayOf = (date: string) => Date.parse(date) / DAY_MS;

/**
 * The feed's own figure. If it has none, the days from listing to the last status change, or to today if
 * ACTIVE.
 */
export function plainDaysOnMarket(listing: PlainListing, today: string): number | null {
  if (listing.daysOnMarket !== null) return listing.daysOnMarket;
  const until = listing.status === 'ACTIVE' ? today : (listing.statusDate ?? listing.soldDate);
  if (until === null || listing.listedDate === null) return null;
  const days = dayOf(until) - dayOf(listing.listedDate);
  return days < 0 ? null : days;
}

/**
 * The comps that a query should return, in order. This is a simple implementation of the documented behavior,
 * which checks every listing.
 */
export function plainComps(listings: PlainListing[], query: PlainQuery, today: string): PlainListing[] {
  const name = query.order?.replace('-', '');
  const sign = query.order?.startsWith('-') ? -1 : 1;
  const place = (listing: PlainListing): number | null => {
    const acres = listing.lotAcres === 0 ? null : listing.lotAcres;
    const price = listing.price === 0 ? null : listing.price;
    if (name === 'acres') return acres;
    if (name === 'dom') return plainDaysOnMarket(listing, today);
    if (name === 'price') return price;
    return name === 'ppa' ? (acres === null || price === null ? null : price / acres) : 0;
  };
  const circle = query.point && circleOf(query.point, query.dist ?? 1_000);
  return listings
    .filter(listing => matches(listing, query, today))
    .filter(listing => circle === undefined || isWithin(listing.location, circle))
    .sort((a, b) => {
      const [p, q] = [place(a), place(b)];
      if (p !== q) return p === null ? 1 : q === null ? -1 : sign * (p - q);
      return a.id < b.id ? -1 : 1;
    });
}

function matches(listing: PlainListing, query: PlainQuery, today: string): boolean {
  if (listing.status === 'OFF_MARKET') return false;
  if (query.fips !== undefined && listing.fips !== query.fips) return false;
  if (query.zip !== undefined && listing.zip !== query.zip) return false;
  if (query.status !== undefined && !query.status.includes(listing.status)) return false;
  if (query.min_photos !== undefined && listing.photos.length < query.min_photos) return false;
  if (query.age !== undefined) {
    if (listing.status !== 'SOLD' || listing.soldDate === null) return false;
    const age = dayOf(today) - dayOf(listing.soldDate);
    if (age < 0 || age > query.age) return false;
  }
  const acres = listing.lotAcres === 0 ? null : listing.lotAcres;
  if (!isBetween(acres, query.acres_min, query.acres_max)) return false;
  if (!isBetween(plainDaysOnMarket(listing, today), query.dom_min, query.dom_max)) return false;
  const { polygons } = query;
  return (
    polygons === undefined ||
    (listing.location !== null && polygons.some(rings => isOnArea(listing.location!, rings)))
  );
}

function isBetween(value: number | null, least: number | undefined, most: number | undefined): boolean {
  if (least === undefined && most === undefined) return true;
  return value !== null && value >= (least ?? -Infinity) && value <= (most ?? Infinity);
}

/** Circle vertices are rounded to this many steps per 1e-7 degree. */
const STEPS = 1024;

/** A polygon of 256 vertices on a geodesic circle, in steps. If the radius is 0, it is the point itself. */
function circleOf([lon, lat]: [number, number], meters: number): GridPolygon {
  const toSteps = (degrees: number) => Math.round(degrees * 1e7 * STEPS);
  const ring = Array.from({ length: 257 }, (_, i): [number, number] => {
    const { lon2, lat2 } = geographiclib.Geodesic.WGS84.Direct(lat, lon, (-360 * (i % 256)) / 256, meters);
    return [toSteps(lon2!), toSteps(lat2!)];
  });
  return [meters === 0 ? [ring[0]!, ring[0]!] : ring];
}

function isWithin(location: PlainListing['location'], circle: GridPolygon): boolean {
  return location !== null && isOnArea([location[0] * STEPS, location[1] * STEPS], circle);
}

/** Whether a point is inside (by the even-odd rule) or on the boundary. Exact for integers of any size. */
export function isOnArea([x, y]: readonly [number, number], rings: GridPolygon): boolean {
  let inside = false;
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i++) {
      const [ax, ay] = ring[i - 1]!;
      const [bx, by] = ring[i]!;
      const turn = BigInt(bx - ax) * BigInt(y - ay) - BigInt(by - ay) * BigInt(x - ax);
      const inBox =
        Math.min(ax, bx) <= x && x <= Math.max(ax, bx) && Math.min(ay, by) <= y && y <= Math.max(ay, by);
      if (turn === 0n && inBox) return true;
      if (ay > y !== by > y && turn > 0n === by > ay) inside = !inside;
    }
  }
  return inside;
}
