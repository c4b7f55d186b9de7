import type { Geometry } from 'geojson';
import type { ComponentChildren } from 'preact';
import { listCountyBoxes } from '../../../shared/feeds/feed-statements.ts';
import {
  type BoxColumns,
  boxAround,
  boxesIntersect,
  boxOfColumns,
  boxOfGeometry,
  padBox,
} from '../../../shared/geo/box.ts';
import { fromE7 } from '../../../shared/geo/geometry-codec.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import type { Overlay } from '../../../shared/model/overlays.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import { Icon } from '../frame/icons.tsx';
import { json, type Reply, type Visit } from '../frame/visit.ts';
import { type CountyClass, CountyLegend, classOf, colorsOf, type LegendProps } from './county-legend.tsx';
import { Swatch } from './swatch.tsx';
import { MapTools } from './tool-menu.tsx';

type OpenParcel = { property_id: number; point: readonly number[] | null; shape?: unknown };

type Options = {
  /** Lets users turn layers on and off, including these overlays. */
  layers?: { overlays: readonly Overlay[] };
  draw?: boolean;
  parcel?: OpenParcel | undefined;
  /** The parcels of the open parcel's assemblage. */
  together?: readonly ({ property_id: number } & BoxColumns)[] | undefined;
  start?: Readonly<Box> | undefined;
  comps?: string;
  /** The URL for the values that determine the county colors. */
  values?: string;
  /** The page that opens when a county is clicked: its URL up to the FIPS code. */
  opens?: string;
  legend?: LegendProps;
  key?: ComponentChildren;
};

/** Layers that users can turn on. `kind` is the kind of feed that loads the layer. */
const LAYERS = [
  { id: 'roads', name: 'Roads', kind: 'roads', isOn: true },
  { id: 'water', name: 'Water', kind: 'water', isOn: true },
  { id: 'wetlands', name: 'Wetlands', kind: 'wetlands', isOn: false },
  { id: 'flood', name: 'Flood zones', kind: 'flood', isOn: false },
  { id: 'zips', name: 'ZIP codes', kind: 'zips', isOn: false },
];

/** The map's backgrounds, which come after the basemap if one is configured. */
const GROUNDS = [
  { id: 'plain', name: 'Plain', kind: undefined },
  { id: 'relief', name: 'Relief', kind: 'elevation' },
  { id: 'aerial', name: 'Aerial', kind: 'imagery' },
];

/** The `<head>` elements for a page with a map. */
export function mapHead({ deps: { assets } }: Visit, modules: readonly string[] = ['map', 'live']) {
  return (
    <>
      <link rel="stylesheet" href={assets.path('maplibre-gl.css')} />
      <link rel="stylesheet" href={assets.path('map.css')} />
      <link rel="modulepreload" href={assets.path('maplibre-gl.mjs')} />
      {modules.map(name => (
        <script type="module" src={assets.path(`${name}.mjs`)} />
      ))}
    </>
  );
}

/** The map. The client module reads its data attributes. */
export function mapOf(
  { deps }: Visit,
  { layers, draw, parcel, together, start, comps, values, opens, legend, key }: Options,
) {
  const basemap = deps.config.BASEMAP_URL && { id: 'basemap', name: 'Basemap', kind: undefined };
  const grounds = basemap ? [basemap, ...GROUNDS] : GROUNDS;
  return (
    <section class="map" aria-label="Map">
      <div
        id="map"
        data-basemap={deps.config.BASEMAP_URL}
        data-attribution={deps.config.BASEMAP_ATTRIBUTION}
        data-parcel={parcel?.property_id}
        data-together={together?.map(member => member.property_id).join(' ')}
        data-box={parcel && comps === undefined ? JSON.stringify(boxOf(parcel, together)) : undefined}
        data-start={start && JSON.stringify(start)}
        data-comps={comps}
        data-values={values}
        data-opens={opens}
        data-overlays={layers?.overlays.map(({ name }) => name).join(' ')}
        data-ramp={legend && JSON.stringify(colorsOf(legend.classes))}
      />
      {legend && <CountyLegend {...legend} />}
      <p id="map-fault" class="notice bad" role="alert" hidden />
      <details class="credits">
        <summary id="credits" />
      </details>
      {key}
      {layers && <LayersMenu grounds={grounds} overlays={layers.overlays} />}
      {draw && <MapTools isShared={comps === undefined} />}
      <noscript>
        <p class="notice">The map needs JavaScript. The list works without it.</p>
      </noscript>
    </section>
  );
}

type MenuProps = {
  grounds: readonly { id: string; name: string; kind: string | undefined }[];
  overlays: readonly Overlay[];
};

const LayersMenu = ({ grounds, overlays }: MenuProps) => (
  <details class="layers map-menu" name="map-menu">
    <summary class="button second only" aria-label="Layers" title="Layers">
      <Icon name="layers" />
    </summary>
    <div>
      <fieldset>
        <legend>Background</legend>
        {grounds.map(({ id, name, kind }) => (
          <label>
            <input type="radio" name="ground" value={id} data-kind={kind} checked={id === grounds[0]!.id} />{' '}
            {name}
          </label>
        ))}
      </fieldset>
      <output id="ground-note" />
      {LAYERS.map(({ id, name, kind, isOn }) => (
        <label>
          <input type="checkbox" data-layer={id} data-kind={kind} checked={isOn} />{' '}
          <i class={`swatch key-${id}`} /> {name}
        </label>
      ))}
      {overlays.map(overlay => (
        <OverlayLayer {...overlay} />
      ))}
    </div>
  </details>
);

/** An overlay, with its legend while it is on. */
const OverlayLayer = ({ name, label, classes }: Overlay) => (
  <div class="overlay">
    <label>
      <input type="checkbox" data-layer={`overlay-${name}`} data-kind={`overlay-${name}`} />{' '}
      {classes.length === 1 && <Swatch color={classes[0]!.color} />} {label}
    </label>
    {classes.length > 1 && (
      <ul>
        {classes.map(item => (
          <li>
            <Swatch color={item.color} /> {item.label}
          </li>
        ))}
      </ul>
    )}
  </div>
);

function boxOf({ shape, point }: OpenParcel, together: Options['together']): Box | null {
  if (together !== undefined)
    return boxAround(together.map(member => boxOfColumns(member).map(fromE7) as Box));
  return boxOfGeometry((shape ?? (point && { type: 'Point', coordinates: point })) as Geometry | null);
}

/** The extent of a county's parcels, or of the county if the parcels have no locations. */
export async function countyParcelsBox({ deps }: Visit, county: unknown): Promise<Readonly<Box> | undefined> {
  if (typeof county !== 'string' || !/^\d{4,5}$/.test(county)) return undefined;
  const fips = Number(county);
  return (await listCountyBoxes(deps.db, [fips])).get(fips) ?? countyExtent(fips);
}

type CountyValue = { fips: string; name: string; state: string; value: number; shown: string };

/** The values for counties, with the class that determines each county's color. */
export function valuesReply(values: CountyValue[], classes: readonly CountyClass[]): Reply {
  return json(
    values.map(({ fips, name, state, shown, value }) => ({
      fips: Number(fips),
      name: `${name}, ${state}`,
      shown,
      class: classOf(classes, value),
    })),
  );
}

/** The contiguous states. Including Alaska and Hawaii would make them too small. */
const CONTIGUOUS: Box = [-125, 24, -66, 50];
/** Margin around the counties that shows where they are. */
const AROUND_DEG = 2;

export function boxOfCounties(counties: readonly { fips: string }[], aroundDeg = AROUND_DEG): Box {
  const boxes = counties
    .map(({ fips }) => countyExtent(Number(fips)))
    .filter(box => box !== undefined && boxesIntersect(box, CONTIGUOUS)) as Box[];
  if (boxes.length === 0) return CONTIGUOUS;
  const [west, south, east, north] = padBox(boxAround(boxes), aroundDeg);
  const [least, lowest, most, highest] = CONTIGUOUS;
  return [Math.max(least, west), Math.max(lowest, south), Math.min(most, east), Math.min(highest, north)];
}
