import { Back, Secret } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';

/** The link to a search or a parcel, which the map opens as a dialog. */
export const sharePage: Page = {
  path: '/data/share',
  access: 'app',
  get({ url, appUrl, apiUrl }) {
    const path = `/data${url.search}`;
    const link = (appUrl || apiUrl) + path;
    const isParcel = url.searchParams.has('parcel');
    const title = isParcel ? 'Share this parcel' : 'Share this view';
    return {
      title,
      body: (
        <>
          <Back to={path} words="‹ Map" />
          <section class="narrow-form" data-dialog-content data-copies={link}>
            <h1>{title}</h1>
            <p>
              {isParcel
                ? 'The link opens the parcel for anyone who can sign in to Plat.'
                : 'The link opens this search for anyone who can sign in to Plat, with the newest data.'}
            </p>
            <Secret text={link} />
            {isParcel && (
              <p class="soft">For people without Plat, create a comp report and share its link.</p>
            )}
          </section>
        </>
      ),
    };
  },
};
