import type { Visit } from './visit.ts';

/** What the map shows of the parcel that is open. */
type Shown = { property_id: number; point: [number, number] | null; shape?: unknown };

type Options = {
  layers?: boolean;
  draw?: boolean;
  parcel?: Shown | undefined;
  start?: readonly number[] | undefined;
  /** Where the map gets counties' values from, to colour them by, and what they are. */
  values?: string;
  legend?: string;
};

/** ColorBrewer's YlGnBu, which people who cannot tell red from green can read. */
const RAMP = ['#ffffcc', '#c7e9b4', '#7fcdbb', '#41b6c4', '#2c7fb8', '#253494'];

/** What a page with a map loads. */
export function mapHead({ deps: { assets } }: Visit) {
  return (
    <>
      <link rel="stylesheet" href={assets.path('maplibre-gl.css')} />
      <link rel="modulepreload" href={assets.path('maplibre-gl.mjs')} />
      <script type="module" src={assets.path('map.mjs')} />
      <script type="module" src={assets.path('live.mjs')} />
    </>
  );
}

/** The map; the client module reads what it is to show from the attributes. */
export function mapOf({ deps }: Visit, { layers, draw, parcel, start, values, legend }: Options) {
  return (
    <section class="map" aria-label="Map">
      <div
        id="map"
        data-basemap={deps.config.BASEMAP_URL}
        data-attribution={deps.config.BASEMAP_ATTRIBUTION}
        data-parcel={parcel?.property_id}
        data-box={parcel ? JSON.stringify(boxOf(parcel)) : undefined}
        data-start={start && JSON.stringify(start)}
        data-values={values}
        data-ramp={values && JSON.stringify(RAMP)}
      />
      {legend && (
        <div class="legend" id="legend">
          <span>{legend}</span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            {RAMP.map((color, i) => (
              <rect x={(100 / RAMP.length) * i} width={100 / RAMP.length} height="8" fill={color} />
            ))}
          </svg>
          <small>lowest to highest</small>
          <output id="hovered" />
        </div>
      )}
      {layers && (
        <fieldset class="layers">
          <legend>Layers</legend>
          {['roads', 'wetlands', 'flood', 'hillshade'].map(name => (
            <label>
              <input type="checkbox" data-layer={name} checked={name === 'roads'} />{' '}
              {name === 'flood' ? 'flood zones' : name}
            </label>
          ))}
        </fieldset>
      )}
      {draw && (
        <button type="button" id="draw" class="second" hidden>
          Draw an area
        </button>
      )}
      <noscript>
        <p class="notice">The map needs JavaScript; the list beside it does not.</p>
      </noscript>
    </section>
  );
}

/** West, south, east, north of a parcel's shape; its point where it has none. */
function boxOf({ shape, point }: Shown): number[] | null {
  const flat = shape
    ? ((shape as { coordinates: unknown[] }).coordinates.flat(Number.POSITIVE_INFINITY) as number[])
    : (point ?? []);
  if (flat.length === 0) return null;
  const lons = flat.filter((_, i) => i % 2 === 0);
  const lats = flat.filter((_, i) => i % 2 === 1);
  return [least(lons), least(lats), -least(lons.map(v => -v)), -least(lats.map(v => -v))];
}

/** Where parcels are known: of a county, or of all; undefined where there are none. West, south, east, north. */
export async function knownBox({ deps, url }: Visit): Promise<number[] | undefined> {
  const county = url.searchParams.get('county');
  const fips = county !== null && /^\d{4,5}$/.test(county.trim()) ? Number(county) : null;
  const [box] = await deps.resources.database.run<Record<'west' | 'south' | 'east' | 'north', number | null>>(
    'tiles/read_box',
    [fips],
  );
  if (box?.west == null) return undefined;
  return [box.west, box.south!, box.east!, box.north!];
}

const least = (values: number[]): number => values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
