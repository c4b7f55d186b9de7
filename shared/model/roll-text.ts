/** Directions, legal forms, generations and routes, which stay as the roll has them. */
const UPPER = new Set(
  'N S E W NE NW SE SW LLC PLLC LLP LP LC PC II III IV VI PO RR HC RFD US USA'.split(' '),
);

/** A roll's capitals as people write names and addresses: `N MAIN ST` is N Main St. Other texts stay. */
export function titleCase(text: string): string {
  if (/\p{Ll}/u.test(text)) return text;
  return text.replace(/[\p{L}\d]+/gu, (word, at: number) => {
    // The s of JOHN'S.
    if (word.length === 1 && text[at - 1] === "'") return word.toLowerCase();
    // A state, before its ZIP.
    const isState = word.length === 2 && /^ \d{5}/.test(text.slice(at + 2));
    if (isState || UPPER.has(word)) return word;
    return word[0]! + word.slice(1).toLowerCase();
  });
}

/**
 * A parcel number without the zeros that fill it up: `000007 000044 000000` is 7-44. With letters only where
 * all parts are as wide: `000009 000026 00000C` is 9-26-C. Others stay.
 */
export function shortApn(apn: string): string {
  const parts = apn.trim().split(/\s+/);
  const isFilled = parts.every(part => part.length === parts[0]!.length);
  const filled = isFilled ? /^\d+[A-Z]*$/ : /^\d+$/;
  if (parts.length < 2 || !parts.every(part => filled.test(part)) || !/\b0\w/.test(apn)) return apn;
  const numbers = parts.map(part => part.replace(/^0+(?=\w)/, ''));
  while (numbers.length > 1 && numbers.at(-1) === '0') numbers.pop();
  return numbers.join('-');
}

/**
 * A parcel number as a county writes it: its parts with zeros before them, and parts of zeros behind them.
 * 7-40 is 000007-000040-000000. Undefined where it does not fit. @param shape digits as 0 and letters as A
 */
export function filledUp(text: string, shape: string): string | undefined {
  const parts = text.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  let at = 0;
  let fits = parts.length > 1;
  const filled = shape.replaceAll(/[0A]+/g, run => {
    const part = parts[at++] ?? '';
    const isDigits = /^0+$/.test(run);
    // Letters may end a part of digits: 9-26-C is 000009-000026-00000C.
    fits &&= isDigits ? part.length <= run.length && /^\d*[A-Z]*$/.test(part) : part.length === run.length;
    return part.padStart(run.length, '0');
  });
  return fits && at >= parts.length ? filled : undefined;
}

/** The owner's mailing address as one writes it on an envelope, without what is not known. */
export function mailLines(parcel: Readonly<Record<string, unknown>>): string[] {
  const { mail_address, mail_city, mail_state, mail_zip } = parcel;
  const textOf = (value: unknown) => (typeof value === 'string' ? titleCase(value) : '');
  const code = [mail_state, mail_zip].filter(Boolean).join(' ');
  return [textOf(mail_address), [textOf(mail_city), code].filter(Boolean).join(', ')].filter(Boolean);
}
