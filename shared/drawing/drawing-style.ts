import { ROAD_CLASSES, type RoadClass } from '../model/land-layers.ts';

/**
 * Slope colors, from below the first of SLOPE_GRADES to above the last. These are ColorBrewer's RdYlGn,
 * reversed, plus a darker red.
 */
export const SLOPE_COLORS = [
  '#1a9850',
  '#4fb45c',
  '#84ca68',
  '#b5de73',
  '#dbee8b',
  '#fff2a8',
  '#fed47f',
  '#fdae61',
  '#f57b4a',
  '#e14b33',
  '#b91f2e',
  '#7a0a2a',
] as const;

/** Lets lines and hatches show through. */
export const SLOPE_OPACITY = 0.65;

export const ROAD_STYLES: Record<RoadClass, { name: string; color: string; widthPx: number }> = {
  highway: { name: 'highway', color: '#b0006d', widthPx: 4 },
  normal: { name: 'road', color: '#6a1fc2', widthPx: 3 },
  local: { name: 'local road', color: '#0a3fd1', widthPx: 2.2 },
  private: { name: 'private road', color: '#7a5c3a', widthPx: 1.6 },
};

export const ROAD_DRAW_ORDER: readonly RoadClass[] = [...ROAD_CLASSES].reverse();

export type ZoneKind = 'water' | 'wetlands' | 'flood';

/** Hatched areas. */
export const ZONE_STYLES: Record<ZoneKind, { name: string; color: string; degrees: number; stepPx: number }> =
  {
    water: { name: 'water', color: '#0288d1', degrees: 0, stepPx: 4 },
    wetlands: { name: 'wetlands', color: '#00796b', degrees: 90, stepPx: 6 },
    flood: { name: 'flood zone', color: '#1565c0', degrees: 45, stepPx: 8 },
  };

export const TEXT_COLOR = '#1c1c1c';
export const GRAY = '#8a8a8a';

/** Uses only common system fonts, so that the drawing loads no files. */
export const FONT = 'Helvetica, Arial, sans-serif';

export function feetText(feet: number): string {
  return `${feet.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ft`;
}
