import type { Geometry } from 'geojson';
import type { ToWgs84 } from '../../shared/geo/geometry-types.ts';
import { toWgs84 } from '../../shared/geo/projection.ts';
import { redactUrl } from '../../shared/platform/http/download-context.ts';
import { fromEsri } from './arcgis-geometry.ts';
import type { LayerInfo } from './arcgis-layer.ts';
import type { Body } from './arcgis-server.ts';
import type { InputSettings } from './input-settings.ts';
import { rawJson, TOO_DEEP } from './row-batch.ts';

export type SpatialReference = { wkid?: number; latestWkid?: number; wkt?: string };

/** A feature as the server sent it, in GeoJSON or Esri JSON, with the page's spatial reference. */
export type ServerFeature = { feature: Body; reference: SpatialReference | null };

/**
 * A feature, or the server's refusal to send it, as a line of JSON in degrees. `id` is the object id, if
 * known.
 */
export type Row = { line: string; id: number | null };

export type ToRow = (sent: ServerFeature) => Row;

/**
 * Converts features to rows. Dates become ISO dates, and codes in `names_of` fields are replaced with their
 * names.
 */
export function rowMaker(info: LayerInfo, spec: InputSettings): ToRow {
  const dates = info.fields.filter(field => field.type === 'esriFieldTypeDate').map(field => field.name);
  const named = info.fields.filter(
    field => field.domain !== null && spec.arcgis?.names_of?.includes(field.name),
  );
  const projections = new Map<string, ToWgs84>();
  const toDegrees = (crs: string): ToWgs84 => {
    const project = projections.get(crs) ?? toWgs84(crs, redactUrl(info.url));
    projections.set(crs, project);
    return project;
  };
  return ({ feature, reference }) => {
    const values = (feature.attributes ?? feature.properties ?? {}) as Body;
    for (const name of dates) values[name] = isoDate(values[name]);
    for (const { name, domain } of named) {
      const code = String(values[name]);
      if (Object.hasOwn(domain!, code)) values[name] = domain![code];
    }
    const id = info.objectIdField === null ? null : values[info.objectIdField];
    const crs = crsOf(reference) ?? `EPSG:${spec.arcgis?.out_sr ?? 4326}`;
    const geometry = 'attributes' in feature ? esri(feature.geometry, toDegrees(crs), crs) : feature.geometry;
    const line = rawJson({ type: 'Feature', geometry, properties: values });
    return { line: line || refusedLine(info, id), id: typeof id === 'number' ? id : null };
  };
}

function refusedLine({ objectIdField }: LayerInfo, id: unknown): string {
  const { reason, message } = TOO_DEEP;
  return JSON.stringify({ refused: message, reason, ...(objectIdField !== null && { [objectIdField]: id }) });
}

/** A geometry in degrees. An unreadable one stays unchanged, and its row is rejected. */
function esri(geometry: unknown, project: ToWgs84, crs: string): Geometry | unknown {
  try {
    const read = fromEsri(geometry, crs === 'EPSG:4326' || crs === 'EPSG:4269');
    return read && project(read);
  } catch (error) {
    if (error instanceof TypeError) return geometry;
    throw error;
  }
}

/** `wkid` can be one of Esri's older codes. If the server states both, they mean the same CRS. */
function crsOf(reference: SpatialReference | null): string | null {
  const code = reference?.latestWkid ?? reference?.wkid;
  return code === undefined ? (reference?.wkt ?? null) : `EPSG:${code}`;
}

/** Converts milliseconds since 1970 to a UTC date. Midnight in US time zones is on the same date in UTC. */
function isoDate(value: unknown): unknown {
  if (typeof value !== 'number') return value;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : date.toISOString().replace('T00:00:00.000Z', '');
}
