import { kindOf } from '../../../shared/exports/export-request.ts';
import { count } from '../../../shared/model/figures.ts';
import { tokensText } from '../../../shared/model/prices.ts';
import { CREDITS } from '../../files/file-address.ts';
import type { ExportRow } from '../../v1/exports/export-schema.ts';
import { Icon } from '../frame/icons.tsx';
import type { Visit } from '../frame/visit.ts';

const WORDS: Record<ExportRow['state'], string> = {
  queued: 'Queued',
  running: 'Preparing',
  ready: 'Ready',
  failed: 'Failed',
  cancelled: 'Canceled',
  expired: 'Expired',
};

export const isOpen = ({ state }: Pick<ExportRow, 'state'>): boolean =>
  state === 'queued' || state === 'running';

export const statusWords = ({ state, progress }: ExportRow): string =>
  `${WORDS[state]}${progress === null ? '' : `, ${Math.round(100 * progress)}%`}`;

export const failureWords = ({ details = {}, message }: NonNullable<ExportRow['error']>): string =>
  Object.values(details).flat().join('; ') || message;

/** Every row has a price, so a file with rows costs nothing only if all of them were paid for. */
function readyWords(rows: number, tokens: number): string {
  const words = `${count(rows)} ${rows === 1 ? 'row' : 'rows'}`;
  return rows > 0 && tokens === 0 ? `${words}, already paid for` : `${words} for ${tokensText(tokens)}`;
}

/** An export that was just ordered: its progress, then its file. Also shown in a dialog on other pages. */
export async function madeExport(visit: Visit, row: ExportRow, name: string) {
  const { files } = visit.deps.resources;
  const { id, state, rows, tokens, error, progress, request, expires_at } = row;
  const isReady = state === 'ready';
  return (
    <section
      id="made"
      class="stack card narrow-form"
      data-id={id}
      data-open={isOpen(row) ? '' : undefined}
      data-dialog-content
    >
      <h2>{isReady ? 'Your file is ready' : `Export “${name}”`}</h2>
      <p role="status">
        {isReady
          ? `${name}: ${readyWords(rows!, tokens!)}`
          : error
            ? `${statusWords(row)}: ${failureWords(error)}`
            : statusWords(row)}
      </p>
      {isOpen(row) && <progress max={1} value={progress ?? 0} aria-label="Progress" />}
      {isReady && (
        <div class="buttons">
          <a class="button primary" href={await files.pathOf(id, 0, expires_at!)}>
            <Icon name="download" /> Download
          </a>
          {kindOf(request) === 'mail' && (
            <a class="button second" href={await files.pathOf(id, CREDITS, expires_at!)}>
              Data credits
            </a>
          )}
          <a href="/exports">All exports</a>
        </div>
      )}
    </section>
  );
}
