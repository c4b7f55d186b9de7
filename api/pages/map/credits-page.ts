import { boxSql, boxToE7 } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/geometry-types.ts';
import { listCredits } from '../../../shared/parcels/map-statements.ts';
import { countiesIntersecting } from '../../../shared/regions/county-polygons.ts';
import { validationError } from '../../http/error-responses.ts';
import type { Page } from '../frame/pages.tsx';
import { json } from '../frame/visit.ts';

/** The kinds of feeds that each map layer shows. An overlay shows its own kind. */
const OF_LAYERS: Readonly<Record<string, readonly string[]>> = {
  roads: ['roads'],
  wetlands: ['wetlands'],
  flood: ['flood'],
  water: ['water', 'places'],
  zips: ['zips'],
  relief: ['elevation'],
  aerial: ['imagery'],
};

/** More credits wouldn't fit on the line below the map. */
const MOST = 4;

/** The data credits for a map view, and the kinds of layers that have data there. */
export const creditsPage: Page = {
  path: '/data/credits',
  access: 'app',
  async get({ url, deps }) {
    const box = (url.searchParams.get('box') ?? '').split(',').map(Number);
    if (box.length !== 4 || !box.every(Number.isFinite))
      throw validationError({ box: ['must be west, south, east, north in degrees'] });
    const rows = await listCredits(deps.db, {
      box: boxSql(boxToE7(box as Box)),
      counties: countiesIntersecting(box as Box),
    });
    const shown = (url.searchParams.get('layers') ?? '').split(',').flatMap(name => OF_LAYERS[name] ?? name);
    const credits = new Set(
      rows.filter(({ kind }) => kind === 'assessor' || shown.includes(kind)).map(({ credit }) => credit),
    );
    const first = [...credits].slice(0, MOST);
    const rest = credits.size - first.length;
    return json({
      credits: rest > 0 ? [...first, `${rest} more`] : first,
      kinds: [...new Set(rows.map(({ kind }) => kind))],
    });
  },
};
