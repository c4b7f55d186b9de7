/** Directions, legal forms, generational suffixes, and routes, which stay in capitals. */
const UPPER = new Set(
  'N S E W NE NW SE SW LLC PLLC LLP LP LC PC II III IV VI PO RR HC RFD US USA'.split(' '),
);

/**
 * Converts a roll's capitals to normal case: `N MAIN ST` becomes N Main St. Text that already has lowercase
 * letters is left alone.
 */
export function titleCase(text: string): string {
  if (/\p{Ll}/u.test(text)) return text;
  return text.replace(/[\p{L}\d]+/gu, (word, at: number) => {
    // The s of JOHN'S.
    if (word.length === 1 && text[at - 1] === "'") return word.toLowerCase();
    // A state before its ZIP.
    const isState = word.length === 2 && /^ \d{5}/.test(text.slice(at + 2));
    if (isState || UPPER.has(word)) return word;
    return word[0]! + word.slice(1).toLowerCase();
  });
}

/**
 * Removes padding zeros from a parcel number: `000007 000044 000000` becomes 7-44. Parts may have letters if
 * all parts have the same width: `000009 000026 00000C` becomes 9-26-C. Other numbers are left alone.
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
 * Converts a parcel number to the county's format (`shape`), padding each part with leading zeros and adding
 * zero parts at the end: 7-40 becomes 000007-000040-000000. Undefined if the number doesn't fit.
 */
export function filledUp(text: string, shape: string): string | undefined {
  const parts = text.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  let at = 0;
  let fits = parts.length > 1;
  const filled = shape.replaceAll(/[0A]+/g, run => {
    const part = parts[at++] ?? '';
    const isDigits = /^0+$/.test(run);
    // A numeric part may end with letters: 9-26-C is 000009-000026-00000C.
    fits &&= isDigits ? part.length <= run.length && /^\d*[A-Z]*$/.test(part) : part.length === run.length;
    return part.padStart(run.length, '0');
  });
  return fits && at >= parts.length ? filled : undefined;
}

/** The owner's mailing address as written on an envelope, omitting unknown parts. */
export function mailLines(parcel: Readonly<Record<string, unknown>>): string[] {
  const { mail_address, mail_city, mail_state, mail_zip } = parcel;
  const textOf = (value: unknown) => (typeof value === 'string' ? titleCase(value) : '');
  const code = [mail_state, mail_zip].filter(Boolean).join(' ');
  return [textOf(mail_address), [textOf(mail_city), code].filter(Boolean).join(', ')].filter(Boolean);
}
