import { z } from 'zod';
import { type OpenContext, sourceError } from '../../shared/platform/http/download-context.ts';
import { boundedBody, fetchWithRetry } from '../../shared/platform/http/http.ts';
import { stateOfFips } from '../../shared/regions/states.ts';

/** A soil survey area that covers a part of a county, and the date of its newest version. */
export type SoilArea = { area: string; date: string };

const answerSchema = z.object({
  Table: z
    .array(z.tuple([z.string().regex(/^[A-Z]{2}\w{3}$/), z.string().regex(/^\d{4}-\d{2}-\d{2}$/)]))
    .min(1),
});

/**
 * Soil Data Access has Connecticut's former counties, not its planning regions. One survey covers the state.
 */
const placeOf = (state: string, fips: string): string =>
  state === 'CT'
    ? "o.areatypename = 'State or Territory' and o.areasymbol = 'CT'"
    : `o.areatypename = 'County or Parish' and o.areasymbol = '${state}${fips.slice(2)}'`;

/** A query for Soil Data Access. Areas without polygons (status other than 2) have nothing to read. */
const query = (place: string): string =>
  `select l.areasymbol, convert(varchar(10), s.saverest, 126) from legend l
  inner join laoverlap o on o.lkey = l.lkey
  inner join sastatusmap s on s.areasymbol = l.areasymbol
  where ${place}
  and l.areatypename = 'Non-MLRA Soil Survey Area' and s.sapubstatuscode = 2
  order by l.areasymbol`;

/** Maximum size of the answer. A county has up to ten areas. */
const MAX_BYTES = 100_000;

/**
 * The soil survey areas of a county, from the Natural Resources Conservation Service. A county can have
 * several, and an area can cover several counties.
 * @throws PlatError `feed_source`
 */
export async function soilAreas(fips: string, url: string, context: OpenContext): Promise<SoilArea[]> {
  const place = placeOf(stateOfFips(Number(fips))!, fips);
  const body = await fetchWithRetry(
    new URL(url),
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'JSON', query: query(place) }),
      timeoutMs: 60_000,
      read: response => (response.ok ? boundedBody(response, MAX_BYTES) : Promise.resolve(undefined)),
    },
    context,
  );
  const parsed = answerSchema.safeParse(jsonOf(body));
  if (!parsed.success)
    throw sourceError(
      `${url} lists no soil survey area for county ${fips}. Set SOILS_URL to the zip of its soil survey.`,
    );
  return parsed.data.Table.map(([area, date]) => ({ area, date }));
}

function jsonOf(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '');
  } catch {
    return null;
  }
}

export const soilAddress = (template: string, { area, date }: SoilArea): string =>
  template.replaceAll('{area}', area).replaceAll('{date}', date);
