import { recordEvent } from '../../../shared/accounts/account-statements.ts';
import { MAX_ADDRESS, readCompanyBrand, saveBrand } from '../../../shared/accounts/brands.ts';
import { validationError } from '../../http/error-responses.ts';
import { Result } from '../frame/form-result.tsx';
import type { Done, FormResult } from '../frame/forms.ts';
import { Crumbs, Field, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import type { Reply, Visit } from '../frame/visit.ts';
import { Brand } from '../parts/brand.tsx';
import { requireManager } from './account-actions.ts';
import { managesTeam } from './account-people.tsx';
import { receiveLogo } from './receive-logo.ts';

/** The logo and address that a company shows on its comp reports. */
export const brandPage: Page = {
  path: '/account/brand',
  access: 'session',
  show,
  actions: { default: save },
};

async function save(visit: Visit): Promise<Done> {
  const { fields, logo } = await receiveLogo(visit.req);
  const { company, user } = await requireManager(visit);
  const address = (fields.get('address') ?? '').replaceAll('\r\n', '\n').replaceAll('\0', '').trim();
  if (address.length > MAX_ADDRESS)
    throw validationError({ address: [`The address can have up to ${MAX_ADDRESS} characters`] });
  const removed = fields.get('remove') === 'yes' ? null : undefined;
  await saveBrand(visit.deps.db, company.id, { address, logo: logo ?? removed });
  await recordEvent(visit.deps.db, user, 'save_brand');
  return { good: 'Saved. Comp reports show it from now on.' };
}

async function show(visit: Visit, result: FormResult): Promise<Reply> {
  const session = visit.session!;
  const brand = await readCompanyBrand(visit.deps.db, session.company.id);
  const body = (
    <>
      <Crumbs of={[['Account', '/account'], ['Brand']]} />
      <h1>Brand</h1>
      <p>Comp reports show the logo and address of {brand.company} when you print or share them.</p>
      <Result of={result} />
      <Brand brand={brand} />
      {managesTeam(session) ? (
        <form method="post" enctype="multipart/form-data" class="card stack narrow-form">
          <Field
            label="Logo"
            name="logo"
            type="file"
            accept="image/png,image/jpeg,image/webp"
            hint="PNG, JPEG, or WebP, up to 1 MB."
          />
          {brand.logo && (
            <label class="check">
              <input type="checkbox" name="remove" value="yes" /> Remove the logo
            </label>
          )}
          <Field label="Address" name="address" hint="Address, phone number, and website, one per line.">
            <textarea id="address" name="address" rows={4} maxlength={MAX_ADDRESS}>
              {brand.address}
            </textarea>
          </Field>
          <div class="buttons">
            <Submit label="Save brand" />
          </div>
        </form>
      ) : (
        <p>Only the account's owner can change them.</p>
      )}
    </>
  );
  return { title: 'Brand', body, assetNames: ['cards.css'] };
}
