import { addFileJob } from '../../../shared/feeds/file-feeds.ts';
import { Crumbs, Notice } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import type { Reply, Visit } from '../frame/visit.ts';
import { startJob } from './job-progress.tsx';
import { receiveUpload } from './receive-upload.ts';

/** Uploads a file. A worker then suggests a feed for it. */
export const filesPage: Page = {
  path: '/admin/files',
  access: 'operator',
  show(visit, { bad, error }) {
    // The page's script shows the error. Without scripts, the page is shown again with the error.
    if (error && visit.req.headers['sec-fetch-dest'] === 'empty') throw error;
    return show(visit, bad);
  },
  actions: { default: add },
};

async function add(visit: Visit): Promise<Reply> {
  const upload = await receiveUpload(visit);
  const payload = { upload, reading: {}, write: false, requestedBy: visit.session!.user.email };
  return { redirect: `/admin/files/${await startJob(visit, addFileJob, payload)}` };
}

function show({ deps }: Visit, fault?: string): Reply {
  const body = (
    <>
      <Crumbs of={[['Admin', '/admin'], ['Add a file']]} />
      <h1>Add a file</h1>
      <p>
        Upload an assessor roll, a parcel map, or a file of sales, roads, wetlands, or flood zones. Plat reads
        the first rows and suggests a field for each column. You can correct its suggestions before anything
        is imported.
      </p>
      <div id="fault">{fault && <Notice kind="bad">{fault}</Notice>}</div>
      <form
        id="upload"
        method="post"
        enctype="multipart/form-data"
        class="card stack narrow-form"
        data-max-mb={deps.config.UPLOAD_MAX_MB}
      >
        <div class="field">
          <label for="file">File</label>
          <input id="file" name="file" type="file" required aria-describedby="file-hint" />
          <small id="file-hint">
            CSV, Excel, shapefile or file geodatabase (zipped), GeoPackage, GeoJSON, FlatGeobuf, Parquet,
            dBASE, or Access. Up to {deps.config.UPLOAD_MAX_MB} MB.
          </small>
        </div>
        <div class="buttons">
          <button type="submit">Upload file</button>
        </div>
        <progress aria-label="Uploading" value={0} max={1} hidden />
      </form>
    </>
  );
  return { title: 'Add a file', body, assetNames: ['cards.css', 'upload.mjs'] };
}
