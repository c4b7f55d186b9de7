/** A parcel in a sum of acres. */
export type Land = {
  /** As `boundaryName` names it; null without a boundary. */
  boundary: string | null;
  /** What the roll states, or the boundary's. */
  acres: number;
  boundaryAcres: number;
};

/** Parcels of the same place and area have one boundary. */
export const boundaryName = (lon: number, lat: number, boundaryAcres: number): string =>
  `${lon} ${lat} ${boundaryAcres}`;

/**
 * Acres of parcels together. Condominium units that share one boundary have no more land than it: some rolls
 * state all of it for each unit, others the unit's share. `parcels/extra_acres` is the same in SQL.
 */
export function acresTogether(parcels: Iterable<Land>): number {
  let alone = 0;
  const stacks = new Map<string, { stated: number; land: number }>();
  for (const { boundary, acres, boundaryAcres } of parcels) {
    if (boundary === null) alone += acres;
    else {
      const { stated, land } = stacks.get(boundary) ?? { stated: 0, land: boundaryAcres };
      stacks.set(boundary, { stated: stated + acres, land: Math.max(land, acres) });
    }
  }
  return [...stacks.values()].reduce((sum, { stated, land }) => sum + Math.min(stated, land), alone);
}
