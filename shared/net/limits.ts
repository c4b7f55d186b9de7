/** Bounds on what a source may cost, so that a wrong address or a hostile archive ends with a message. */
export type Limits = {
  /** Bytes that one download may put into the temporary folder. */
  downloadBytes: number;
  /** Bytes that one file may grow to when unpacked. */
  expandedBytes: number;
  /** Members that one zip may list. */
  zipEntries: number;
  /** Bytes of one row: a feature, a line, a CSV record with its quoted line breaks. */
  rowBytes: number;
  /** Bytes of one page of a web API, read whole. */
  pageBytes: number;
  /** Milliseconds without a byte after which a download counts as dead. */
  idleMs: number;
  /** Milliseconds that one page may take, from request to last byte. */
  pageMs: number;
  /** Tries of one request, the first included. */
  tries: number;
  /** First pause between tries; it doubles with every further one. */
  backoffMs: number;
  /** Longest pause that a `Retry-After` may ask for; beyond it the run gives up and its job is retried later. */
  retryAfterMs: number;
};

const MiB = 2 ** 20;
const GiB = 2 ** 30;

export const LIMITS: Limits = {
  // The largest statewide parcel archives published today are 5 to 10 GB.
  downloadBytes: 16 * GiB,
  // A state of 12 million parcels at 2 to 3 KB each as GeoJSON is 36 GB. Reading is streamed, so a bomb costs
  // time alone: this much takes a few minutes.
  expandedBytes: 64 * GiB,
  // An archive of every table and layer of a county holds hundreds.
  zipEntries: 10_000,
  // The largest real parcel boundaries (federal land, 500,000 vertices) are about 20 MB as GeoJSON.
  rowBytes: 32 * MiB,
  // RESO servers send at most 5,000 records a page, at 5 to 10 KB each.
  pageBytes: 128 * MiB,
  idleMs: 60_000,
  // Some servers take over a minute for a wide page.
  pageMs: 180_000,
  // With backoffMs: 1 + 2 + 4 + 8 + 16 s, which outlasts a restart of the server at the other end.
  tries: 6,
  backoffMs: 1_000,
  // Hourly quotas ask for up to an hour; a worker does not sleep that long on one job.
  retryAfterMs: 10 * 60_000,
};
