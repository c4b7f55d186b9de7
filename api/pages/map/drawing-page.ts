import { readParcelDrawing, readParcelMap, SMALL_MAP_PX } from '../../../shared/drawing/collect-map.ts';
import { findDifferences } from '../../../shared/drawing/computed.ts';
import { drawBuildableMap, drawParcel, drawParcelMap } from '../../../shared/drawing/draw-parcel.ts';
import { notFound, undefinedIf } from '../../http/error-responses.ts';
import type { Page } from '../frame/pages.tsx';
import type { PageDeps } from '../frame/visit.ts';

/**
 * `ID.svg` is the same drawing as `plat parcel show --svg`. `ID-map.svg` and `ID-buildable.svg` are small
 * maps for pages.
 */
export const drawingPage: Page = {
  path: '/data/drawing/:file',
  access: 'app',
  async get({ req, deps }) {
    const [, id, small] = /^(\d{12,13})(?:-(map|buildable))?\.svg$/.exec(String(req.params.file)) ?? [];
    if (id === undefined) throw notFound('Drawing not found.');
    const draw = small === undefined ? drawLand : DRAW_SMALL[small as keyof typeof DRAW_SMALL];
    const drawing = draw(deps, Number(id));
    const svg = await drawing.catch(
      undefinedIf(({ code }) => code === 'parcel_retired' || code === 'parcel_shapeless'),
    );
    if (svg === undefined) throw notFound('This parcel is retired or has no boundary to draw.');
    return { data: svg, type: 'image/svg+xml' };
  },
};

async function drawSmall({ db }: PageDeps, id: number): Promise<string | undefined> {
  const map = await readParcelMap(db, id);
  return map === null ? undefined : drawParcelMap(map);
}

async function drawBuildable({ db, config }: PageDeps, id: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(config.REQUEST_TIMEOUT_MS);
  const drawn = (await readParcelDrawing(db, id, { signal, mapPx: SMALL_MAP_PX }))?.drawn;
  return drawn == null ? undefined : drawBuildableMap(drawn);
}

const DRAW_SMALL = { map: drawSmall, buildable: drawBuildable };

async function drawLand({ db, config }: PageDeps, id: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(config.REQUEST_TIMEOUT_MS);
  const collected = await readParcelDrawing(db, id, { signal });
  if (collected?.drawn == null) return undefined;
  const { land, waiting } = collected.stored;
  return drawParcel(collected.drawn, {
    differences: land === null ? [] : findDifferences(land.figures, collected.drawn.computed),
    waiting: waiting.length > 0,
    computedAt: land?.computed_at ?? null,
  });
}
