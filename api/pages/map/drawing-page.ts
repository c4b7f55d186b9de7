import { readParcelDrawing, readParcelMap } from '../../../shared/drawing/collect-map.ts';
import { findDifferences } from '../../../shared/drawing/computed.ts';
import { drawParcel, drawParcelMap } from '../../../shared/drawing/draw-parcel.ts';
import { notFound, undefinedIf } from '../../http/error-responses.ts';
import type { Page } from '../frame/pages.tsx';
import type { PageDeps } from '../frame/visit.ts';

/** `ID.svg` is the same drawing as `plat parcel show --svg`, and `ID-map.svg` is a small map for pages. */
export const drawingPage: Page = {
  path: '/data/drawing/:file',
  access: 'app',
  async get({ req, deps }) {
    const [, id, small] = /^(\d{12,13})(-map)?\.svg$/.exec(String(req.params.file)) ?? [];
    if (id === undefined) throw notFound('Drawing not found.');
    const drawing = small ? drawSmall(deps, Number(id)) : drawLand(deps, Number(id));
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
