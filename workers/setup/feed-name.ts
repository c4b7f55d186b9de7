import { basename } from 'node:path';

/** A feed name based on its source: 'Parcels_2025.zip' becomes parcels-2025. */
export function feedName(source: string): string {
  const path = source.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const last = basename(path).replace(/(\.[a-z]\w{1,10})+$/i, '');
  const name = last
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63);
  return name === '' ? 'suggested' : name;
}
