import { join } from 'node:path';
import { addFileJob, UPLOADED_FEED_FILE, uploadFolder } from '../../shared/feeds/file-feeds.ts';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { writeFileAtomic } from '../../shared/platform/disk.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { enqueue } from '../../shared/platform/queue/jobs.ts';
import { defineJob } from '../queue/job.ts';

/** The first rows of a file are read in seconds, but a damaged file may keep its reader busy. */
const MAX_READ_MS = 5 * 60_000;

/** Suggests or checks the feed of an uploaded file. On request, writes and runs it. */
export const addFileFeedJob = defineJob({
  ...addFileJob,
  async run({ db, config, signal, progress, deliver }, payload) {
    const [{ suggestFile }, { writeFeed }, { findLoadedFeeds }] = await Promise.all([
      import('./suggest-file.ts'),
      import('./add-county.ts'),
      import('../ingest/kinds/assessor/loaded-feeds.ts'),
    ]);
    progress(0.1, `reading the first rows of ${payload.upload.original}`);
    const late = AbortSignal.timeout(MAX_READ_MS);
    const suggested = await suggestFile(payload, config, {
      signal: AbortSignal.any([signal, late]),
      findLoaded: (feed, rows) => findLoadedFeeds(db, feed, rows),
    }).catch(error => {
      if (!late.aborted || signal.aborted) throw error;
      const message = `Reading the first rows of ${payload.upload.original} took more than ${MAX_READ_MS / 60_000} minutes.`;
      throw new PlatError('feed_source', message, { cause: error });
    });
    const { name, text, feedFile, problems } = suggested;
    const none = { ...suggested, written: false, refused: null, run: null };
    if (!payload.write || problems.length > 0) return none;
    await writeFileAtomic(join(uploadFolder(config, payload.upload), UPLOADED_FEED_FILE), text);
    const refused = await writeFeed(feedFile, text);
    if (refused !== null) return { ...none, refused };
    const ingestion = {
      feed: name,
      force: false,
      sources: {},
      requestedBy: payload.requestedBy,
      attended: true,
    };
    const { id } = await enqueue(db, ingestJob, ingestion);
    await deliver([id]);
    return { ...none, written: true, run: id };
  },
});
