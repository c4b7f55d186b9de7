import type { BrandOf } from '../../../shared/accounts/brands.ts';

/** A company's logo, name, and address at the top of what it hands out. Empty until it has set them. */
export function Brand({ brand: { company, logo, address } }: { brand: BrandOf }) {
  if (logo === null && address === '') return null;
  return (
    <div class="letterhead">
      {logo && <img src={`data:image/png;base64,${logo.toString('base64')}`} alt={`Logo of ${company}`} />}
      <p>
        <b>{company}</b>
        {address && `\n${address}`}
      </p>
    </div>
  );
}
