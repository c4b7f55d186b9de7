/** A parcel whose acres are added to a total. */
export type Land = {
  /** The name from `boundaryName`, or null if there is no boundary. */
  boundary: string | null;
  /** Acres from the roll, or measured from the boundary. */
  acres: number;
  boundaryAcres: number;
};

/** Parcels with the same location and area share one boundary. */
export const boundaryName = (lon: number, lat: number, boundaryAcres: number): string =>
  `${lon} ${lat} ${boundaryAcres}`;

/**
 * Total acres of parcels. The land of condominium units that share one boundary counts once, because some
 * rolls list all of the land for each unit, and others list only the unit's share. `parcels/extra_acres` does
 * the same in SQL.
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
