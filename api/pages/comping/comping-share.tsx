import type { Report } from '../../../shared/comping/stored-reports.ts';
import { day } from '../../../shared/model/figures.ts';
import { Icon } from '../frame/icons.tsx';
import { LinkButton, Secret, Select, Submit } from '../frame/layout.tsx';
import { SHARE_DAYS, sharedPath } from './comping-actions.ts';

type ShareProps = {
  report: Report;
  path: string;
  appUrl: string;
  /** Whether the link was just created. */
  isOpen?: boolean;
};

export const Tools = (share: ShareProps) => (
  <div class="buttons">
    <LinkButton to={`${share.path}/comps.csv`} words="CSV" icon="download" kind="second" />
    <button type="button" class="second" id="print" hidden>
      <Icon name="printer" />
      Print or PDF
    </button>
    <Share {...share} />
  </div>
);

/** The Share button. It copies the report's link if there is one, and opens a box that shows it. */
export function Share({ report, path, appUrl, isOpen = false }: ShareProps) {
  const { share_expires_at: expires, share_token: token } = report;
  const isShared = expires !== null && expires.getTime() > Date.now();
  const link = token === null ? undefined : appUrl + sharedPath(token);
  return (
    <details id="share" class="share-box" open={isOpen} data-link={link}>
      <summary class="button" data-copy={link}>
        <Icon name="share-2" />
        Share
      </summary>
      <div class="card">
        {link && <Secret text={link} />}
        <p class="fine-print">
          {isShared
            ? `Anyone with the link can read the report until ${day(expires)}. A new link replaces it.`
            : "Anyone with the link can read the report, including its title and notes. Comps you didn't choose aren't included."}
        </p>
        <form method="post" action={path} class="buttons" data-change>
          <label for="days">{isShared ? 'New link for' : 'Share for'}</label>
          <Select
            name="days"
            options={SHARE_DAYS.map(days => [String(days), `${days} days`])}
            given={String(SHARE_DAYS[1])}
          />
          <Submit
            label={isShared ? 'Create new link' : 'Create and copy link'}
            does="share"
            kind={isShared ? 'second' : undefined}
          />
        </form>
        {isShared && (
          <form method="post" action={path} data-change>
            <Submit label="Stop sharing" does="unshare" kind="danger" />
          </form>
        )}
        <p class="fine-print">
          Your company's logo and address appear on the report. <a href="/account/brand">Change them</a>
        </p>
      </div>
    </details>
  );
}
