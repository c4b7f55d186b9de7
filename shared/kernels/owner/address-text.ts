/**
 * The words of an address line in uppercase, without accents, apostrophes, or periods. Meaningful characters
 * are kept: a hyphen, slash, or period between digits (12-34 56th Ave, 1/2, 39.2 Rd), `#`, and `%`, which
 * means "care of".
 */
export function addressWords(text: string): string[] {
  const upper = text.toUpperCase();
  if (IS_PLAIN.test(upper)) return splitWords(upper);
  return splitWords(withoutMarks(withoutAccents(upper).replace(CARE_OF, ' % ')));
}

const IS_PLAIN = /^[A-Z0-9 ]*$/;
const ASCII = /^[\0-\x7f]*$/;
/** C/O is replaced by "%", which also means "care of" on rolls. */
const CARE_OF = /(?<![A-Z0-9])C\/O(?![A-Z0-9]*\/)/g;

function splitWords(text: string): string[] {
  const words = text.split(' ');
  return words.includes('') ? words.filter(word => word !== '') : words;
}

/**
 * Removes accents, because USPS Publication 28 requires English letters. Other characters beyond ASCII become
 * separators.
 */
function withoutAccents(text: string): string {
  if (ASCII.test(text)) return text;
  return text
    .replace(/[’‘ʼ]/g, "'")
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\0-\x7f]/g, ' ')
    .toUpperCase();
}

function withoutMarks(text: string): string {
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    out += isLetter(code) || isDigit(code) || code === SPACE ? text[i] : replacement(text, i);
  }
  return out;
}

const SPACE = 32;
const isDigit = (code: number) => code >= 48 && code <= 57;
const isLetter = (code: number) => code >= 65 && code <= 90;

/**
 * The replacement for the punctuation at `i`: an empty string if it joins words, a space if it separates
 * them.
 */
function replacement(text: string, i: number): string {
  const before = text.charCodeAt(i - 1);
  const after = text.charCodeAt(i + 1);
  const betweenDigits = isDigit(before) && isDigit(after);
  switch (text[i]) {
    case "'":
      return '';
    case '#':
      return ' # ';
    case '%':
      return ' % ';
    case '&':
      return ' AND ';
    case '/':
      return betweenDigits ? '/' : ' ';
    case '.': {
      if (betweenDigits) return '.';
      // E.MAIN and ST.PAUL are two words; P.O. and N.W. are one.
      const afterNext = text.charCodeAt(i + 2);
      return isLetter(after) && isLetter(afterNext) ? ' ' : '';
    }
    case '-':
      if (betweenDigits) return '-';
      // 12-B becomes 12B and APT B-4 becomes APT B4, but OAK-HILL RD becomes OAK HILL RD.
      return (isDigit(before) && isLetter(after)) || (isLetter(before) && isDigit(after)) ? '' : ' ';
    default:
      return ' ';
  }
}
