import { expect, test } from 'vitest';
import { UPLOAD_FORMATS } from '../../../shared/feeds/file-feeds.ts';
import { FILE_FORMATS } from '../../../workers/formats/file-formats.ts';

test('every format can be uploaded, except those that only a feed file can set up', () => {
  // Lines need a layout, and soils are an overlay.
  const readable = Object.keys(FILE_FORMATS).filter(format => !['fixed_width', 'ssurgo'].includes(format));
  expect(Object.keys(UPLOAD_FORMATS).toSorted()).toEqual(readable.toSorted());
});
