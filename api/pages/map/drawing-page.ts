import { readParcelDrawing } from '../../../shared/drawing/collect-map.ts';
import { findDifferences } from '../../../shared/drawing/computed.ts';
import { drawParcel } from '../../../shared/drawing/draw-parcel.ts';
import { notFound, undefinedIf } from '../../http/error-responses.ts';
import type { Page } from '../frame/pages.tsx';

/** The same drawing as `plat parcel show --svg`. */
export const drawingPage: Page = {
  path: '/data/drawing/:file',
  access: 'app',
  async get({ req, deps }) {
    const id = /^(\d{12,13})\.svg$/.exec(String(req.params.file))?.[1];
    if (id === undefined) throw notFound('Drawing not found.');
    const signal = AbortSignal.timeout(deps.config.REQUEST_TIMEOUT_MS);
    const collected = await readParcelDrawing(deps.db, Number(id), { signal }).catch(
      undefinedIf(({ code }) => code === 'parcel_retired' || code === 'parcel_shapeless'),
    );
    if (collected?.drawn == null) throw notFound('This parcel is retired or has no boundary to draw.');
    const { land, waiting } = collected.stored;
    const svg = drawParcel(collected.drawn, {
      differences: land === null ? [] : findDifferences(land.figures, collected.drawn.computed),
      waiting: waiting.length > 0,
      computedAt: land?.computed_at ?? null,
    });
    return { data: svg, type: 'image/svg+xml' };
  },
};
