import { expect, test } from 'vitest';
import { UPLOAD_FORMATS } from '../../../shared/feeds/file-feeds.ts';
import { FILE_FORMATS } from '../../../workers/formats/file-formats.ts';

test('every format of files may be uploaded, but lines whose columns only a feed file can say', () => {
  const readable = Object.keys(FILE_FORMATS).filter(format => format !== 'fixed_width');
  expect(Object.keys(UPLOAD_FORMATS).toSorted()).toEqual(readable.toSorted());
});
