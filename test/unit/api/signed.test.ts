import { expect, test } from 'vitest';
import { sign, verifySigned } from '../../../api/http/signed.ts';

const secret = Buffer.alloc(32, 7);
const other = Buffer.alloc(32, 8);

test('a signature for one purpose is not valid for another', () => {
  const text = sign('picture', { id: 1 }, secret);
  expect(verifySigned('picture', text, [other, secret])).toEqual({ id: 1 });
  expect(verifySigned('file', text, [other, secret])).toBeUndefined();
  expect(verifySigned('', text, [secret])).toBeUndefined();
  expect(verifySigned('picture', text, [other])).toBeUndefined();
});

test('a changed byte makes it invalid, wherever it is', () => {
  const text = sign('picture', { id: 1 }, secret);
  for (let i = 0; i < text.length; i++) {
    const changed = text.slice(0, i) + (text[i] === 'A' ? 'B' : 'A') + text.slice(i + 1);
    expect(verifySigned('picture', changed, [secret])).toBeUndefined();
  }
});
