import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { element, escapeXml, textElement } from '../../../shared/drawing/xml.ts';
import { elementsOf, parseXml, textOf } from '../../support/xml.ts';

const document = (content: string) => parseXml(`<?xml version="1.0" encoding="UTF-8"?>\n${content}\n`);

describe('text in a drawing', () => {
  test("can't break out of its place", () => {
    const name = `"><script>alert('x')</script> & SONS`;
    const parsed = document(element('g', { 'data-owner': name }, textElement('text', {}, name)));
    expect(elementsOf(parsed).map(({ name }) => name)).toEqual(['g', 'text']);
    expect(parsed.attributes['data-owner']).toBe(name);
    expect(textOf(parsed)).toBe(name);
  });

  test("is unchanged, whatever it is, except for characters that XML can't contain", () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), text => {
        const parsed = document(element('g', { a: text }, textElement('text', {}, text)));
        // biome-ignore lint/suspicious/noControlCharactersInRegex: those that XML 1.0 forbids
        const held = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
        expect(parsed.attributes.a).toBe(held);
        expect(textOf(parsed)).toBe(held);
      }),
    );
  });

  test('lone surrogates are replaced, pairs stay', () => {
    expect(escapeXml('a\ud800b\udc00c\ud83c\udfe1')).toBe('a\ufffdb\ufffdc\ud83c\udfe1');
  });

  test('missing attributes are omitted', () => {
    expect(element('path', { id: undefined, d: 'M0 0' })).toBe('<path d="M0 0"/>');
  });
});
