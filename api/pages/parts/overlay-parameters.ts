import type { OverlayCondition } from '../../../shared/parcels/filter/overlay-filter.ts';

/** Conditions on overlays in a URL, such as `overlay.zoning.percent_min=50`. */
const PARAMETER = /^overlay\.([a-z][a-z0-9_]{0,39})\.(classes|(?:percent|distance_ft)_(?:min|max))$/;

export const isOverlayParameter = (name: string): boolean => PARAMETER.test(name);

/** The conditions in the order of the URL. Text that isn't a number is kept, so that the API rejects it. */
export function overlaysOf(params: URLSearchParams): OverlayCondition[] {
  const conditions = new Map<string, OverlayCondition>();
  for (const parameter of new Set(params.keys())) {
    const [, name, field] = PARAMETER.exec(parameter) ?? [];
    const values = params.getAll(parameter).filter(text => text.trim() !== '');
    if (name === undefined || values.length === 0) continue;
    const [text] = values;
    const value = field === 'classes' ? values : Number.isNaN(Number(text)) ? text : Number(text);
    conditions.set(name, { name, ...conditions.get(name), [field!]: value });
  }
  return [...conditions.values()];
}

/** Adds conditions to a URL. */
export function addOverlays(params: URLSearchParams, conditions: readonly OverlayCondition[]): void {
  for (const { name, ...fields } of conditions)
    for (const [field, value] of Object.entries(fields))
      for (const item of [value].flat()) params.append(`overlay.${name}.${field}`, String(item));
}

/** "zoning: residential, rural, at least 50%, up to 500 ft away". */
export function overlayWords({
  name,
  classes = [],
  percent_min,
  percent_max,
  distance_ft_min,
  distance_ft_max,
}: OverlayCondition): string {
  const terms = [
    ...classes,
    ...(percent_min === undefined ? [] : [`at least ${percent_min}%`]),
    ...(percent_max === undefined ? [] : [`up to ${percent_max}%`]),
    ...(distance_ft_min === undefined ? [] : [`at least ${distance_ft_min} ft away`]),
    ...(distance_ft_max === undefined ? [] : [`up to ${distance_ft_max} ft away`]),
  ];
  return `${name.replaceAll('_', ' ')}: ${terms.join(', ')}`;
}
