import { addFileJob } from '../../../shared/feeds/file-feeds.ts';
import { Crumbs, Notice } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import type { Reply, Visit } from '../frame/visit.ts';
import { startJob } from './job-progress.tsx';
import { receiveUpload } from './receive-upload.ts';

/** Takes a file in, of which a worker then suggests a feed. */
export const filesPage: Page = {
  path: '/admin/files',
  access: 'operator',
  show(visit, { bad, error }) {
    // The page's script shows the words of an error; without it the page is shown again.
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
        Plat reads the first rows of an assessor's roll, a parcel map, a file of sales, roads, wetlands or
        flood zones, suggests which column is which field, and lets you correct it before anything is loaded.
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
          <input id="file" name="file" type="file" required aria-describedby="file-told" />
          <small id="file-told">
            CSV, Excel, shapefile or file geodatabase (zipped), GeoPackage, GeoJSON, FlatGeobuf, Parquet,
            dBASE or Access; up to {deps.config.UPLOAD_MAX_MB} MB.
          </small>
        </div>
        <div class="buttons">
          <button type="submit">Upload</button>
        </div>
        <progress aria-label="Uploading" value={0} max={1} hidden />
      </form>
    </>
  );
  return { title: 'Add a file', body, assetNames: ['cards.css', 'upload.mjs'] };
}
