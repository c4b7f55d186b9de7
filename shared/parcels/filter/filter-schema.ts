import { z } from 'zod';
import type { Filter, FilterBody } from './declare-filter.ts';
import { FILTERS } from './filters.ts';
import { ROAD_SWITCHES } from './land-filters.ts';

export const SCOPES = FILTERS.filter(filter => filter.scope).map(filter => filter.name);

/** The names of ranges that have two bounds. */
const RANGES = FILTERS.filter(filter => filter.range?.bound === 'min').map(filter => filter.range!.of);

type FieldFault = [field: string, message: string];

/** A filter in a request. It needs at least one scope, and no minimum may exceed its maximum. */
export const filterSchema = z
  .strictObject(
    Object.fromEntries(
      FILTERS.map(filter => [
        filter.name,
        filter.schema.optional().meta({
          description: describe(filter),
        }),
      ]),
    ),
  )
  .superRefine((body, context) => {
    for (const [field, message] of faultsOf(body))
      context.addIssue({ code: 'custom', path: [field], message });
  });

/** Client generators treat body fields with a `default` as required, so the description states it instead. */
function describe({ description, unit, default: absent }: Filter): string {
  const inUnit = unit === undefined ? '' : ` In ${unit}.`;
  return `${description}${inUnit}${absent === undefined ? '' : ` Default: ${absent}.`}`;
}

export const hasScope = (body: FilterBody): boolean => SCOPES.some(scope => body[scope] !== undefined);

function faultsOf(body: FilterBody): FieldFault[] {
  const faults: FieldFault[] = [];
  if (!hasScope(body))
    faults.push([SCOPES[0]!, `is missing: at least one of ${SCOPES.join(', ')} is required`]);
  for (const name of RANGES) {
    const least = body[`${name}_min`] as number | string | undefined;
    const most = body[`${name}_max`] as number | string | undefined;
    if (least !== undefined && most !== undefined && least > most)
      faults.push([`${name}_min`, `must not be greater than ${name}_max`]);
  }
  const frontage = ['road_frontage_min', 'road_frontage_max'].find(name => body[name] !== undefined);
  if (frontage !== undefined && ROAD_SWITCHES.every(name => body[name] === false))
    faults.push([frontage, `has nothing to measure because ${ROAD_SWITCHES.join(', ')} are all false`]);
  return faults;
}
