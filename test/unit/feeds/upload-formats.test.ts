import { expect, test } from 'vitest';
import { UPLOAD_FORMATS } from '../../../shared/feeds/file-feeds.ts';
import { FILE_FORMATS } from '../../../workers/formats/file-formats.ts';

test('every format can be uploaded, except lines whose columns only a feed file can define', () => {
  const readable = Object.keys(FILE_FORMATS).filter(format => format !== 'fixed_width');
  expect(Object.keys(UPLOAD_FORMATS).toSorted()).toEqual(readable.toSorted());
});
