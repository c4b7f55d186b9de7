/** Why a parcel has no assemblage although it may have neighbors of the same owner. */
export const ASSEMBLAGE_REASONS = ['owner_has_too_many_parcels'] as const;

/**
 * A column with a parcel's row of `assemblages g`. Replaces {{assemblage}} in statements, which join the
 * table, because Citus would send a subquery to every shard.
 */
export const ASSEMBLAGE_COLUMN = `case when g.property_id is not null then
    json_build_object('id', g.assemblage_id, 'parcels', g.parcels, 'acres', g.acres,
      'touching_parcels', g.touching_parcels, 'touching_acres', g.touching_acres)
  end as assemblage`;

type Shown = {
  id: number;
  parcels: number;
  acres: number;
  touching_parcels: number;
  touching_acres: number;
};

/** The value of ASSEMBLAGE_COLUMN. `id` is null if the owner has too many parcels. */
export type AssemblageRow = Shown | { id: null } | null;

export type ShownAssemblage = {
  assemblage: Shown | null;
  assemblage_reason: (typeof ASSEMBLAGE_REASONS)[number] | null;
};

/** The fields of the API. */
export function shownAssemblage(row: AssemblageRow): ShownAssemblage {
  const known = row === null || row.id === null ? null : row;
  const isSkipped = row !== null && known === null;
  return { assemblage: known, assemblage_reason: isSkipped ? ASSEMBLAGE_REASONS[0] : null };
}
