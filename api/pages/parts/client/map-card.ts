// A card about the parcel under the mouse.
import type { Map as MapLibre, Point } from 'maplibre-gl';

/** How long the mouse has to rest on a parcel. */
const REST_MS = 200;
/** Distance from the mouse in pixels. */
const AWAY = 16;

export function openCard(map: MapLibre): void {
  // Touching a parcel opens it.
  if (!matchMedia('(hover: hover)').matches) return;
  const card = document.createElement('div');
  card.id = 'parcel-card';
  card.hidden = true;
  map.getContainer().append(card);
  let mouse: Point | undefined;
  let pointed: string | null = null;
  let due: ReturnType<typeof setTimeout> | undefined;
  const hide = () => {
    clearTimeout(due);
    card.hidden = true;
  };

  async function show(id: string): Promise<void> {
    const response = await fetch(`/data/card/${id}`).catch(() => undefined);
    if (!response?.ok) return;
    const content = await response.text();
    if (id !== pointed || mouse === undefined) return;
    card.innerHTML = content;
    card.hidden = false;
    place(card, mouse, map.getContainer());
  }

  map.on('mousemove', ({ point }) => {
    mouse = point;
  });
  map.on('movestart', hide);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide();
  });
  document.addEventListener('plat:pointed', event => {
    // Events turn undefined into null.
    pointed = (event as CustomEvent<string | null>).detail;
    hide();
    const isDrawing = document.querySelector('#drawing:not([hidden])');
    if (pointed !== null && !isDrawing) due = setTimeout(show, REST_MS, pointed);
  });
}

/** Puts the card next to the mouse, on the side where the map has more room. */
function place(card: HTMLElement, { x, y }: Point, { clientWidth, clientHeight }: HTMLElement): void {
  const isLeft = x < clientWidth / 2;
  const isTop = y < clientHeight / 2;
  card.style.left = isLeft ? `${x + AWAY}px` : '';
  card.style.right = isLeft ? '' : `${clientWidth - x + AWAY}px`;
  card.style.top = isTop ? `${y + AWAY}px` : '';
  card.style.bottom = isTop ? '' : `${clientHeight - y + AWAY}px`;
}
