import { fieldText } from './field-text.ts';
import { ALL_FIELDS, type FieldSpec } from './parcel-fields.ts';
import { titleCase } from './roll-text.ts';

/**
 * Labels of changed values that aren't parcel fields. Points have no label, because coordinates mean little
 * to people.
 */
const OTHERS: Readonly<Record<string, Pick<FieldSpec, 'label' | 'unit'>>> = {
  on_roll: { label: 'On the roll' },
  mean_adjusted_price: { label: 'Estimated value', unit: 'USD' },
  boundary: { label: 'Boundary' },
  'listing.status': { label: 'Listing status' },
  'listing.price': { label: 'Listing price', unit: 'USD' },
  'listing.sold_date': { label: 'Listing sold' },
  'listing.lot_size': { label: 'Listing acres', unit: 'acres' },
};

type Named = Pick<FieldSpec, 'label'> & Partial<FieldSpec>;

export const changedFieldOf = (field: string): Named | undefined => ALL_FIELDS[field] ?? OTHERS[field];

/** Names and addresses, which rolls write in capitals. */
const IN_CAPITALS =
  /^(owner_name(_2)?|seller_name|subdivision|school_district|water_name|(mail|situs)_(address|city))$/;

/** A field's value as text, with names in title case. */
export function namedText(field: string, spec: Named, value: unknown): string {
  const text = fieldText(spec, value) ?? '–';
  return IN_CAPITALS.test(field) ? titleCase(text) : text;
}
