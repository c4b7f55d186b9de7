/** An element in a document. */
export type Xml = { name: string; attributes: Record<string, string>; children: (Xml | string)[] };

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" };
const NAME = '[A-Za-z_][\\w:.-]*';
const TOKEN = new RegExp(`<(/?)(${NAME})((?:\\s+${NAME}="[^"<]*")*)\\s*(/?)>|([^<]+)`, 'y');
// biome-ignore lint/suspicious/noControlCharactersInRegex: those that XML 1.0 forbids
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\ud800-\udfff]/u;

/**
 * Parses a document as strictly as XML 1.0 requires for the program's output: a declaration, one root,
 * properly nested elements, double-quoted attributes without repeats, known entities, and only allowed
 * characters. Rejects comments, CDATA, and doctypes.
 */
export function parseXml(text: string): Xml {
  const declaration = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(text);
  if (!declaration) throw new Error('no XML declaration');
  if (FORBIDDEN.test(text)) throw new Error('a character that XML cannot hold');
  const root: Xml = { name: '', attributes: {}, children: [] };
  const open = [root];
  TOKEN.lastIndex = declaration[0].length;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new Error(`not XML at ${at}: ${text.slice(at, at + 60)}`);
    const [, closing, name, attributes, empty, characters] = match;
    const parent = open.at(-1)!;
    if (characters !== undefined) parent.children.push(unescaped(characters));
    else if (closing) {
      if (open.length === 1 || open.pop()!.name !== name)
        throw new Error(`</${name}> at ${at} closes nothing`);
    } else {
      const element: Xml = { name: name!, attributes: attributesOf(attributes!), children: [] };
      parent.children.push(element);
      if (!empty) open.push(element);
    }
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)!.name}> is not closed`);
  const [top, ...rest] = root.children.filter(child => typeof child !== 'string' || child.trim() !== '');
  if (typeof top !== 'object' || rest.length > 0) throw new Error('not one root');
  return top;
}

function attributesOf(text: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(new RegExp(`(${NAME})="([^"]*)"`, 'g'))) {
    if (name! in result) throw new Error(`${name} is given twice`);
    result[name!] = unescaped(value!);
  }
  return result;
}

function unescaped(text: string): string {
  return text.replace(/&([^;]*);?/g, (_all, name: string) => {
    const character = ENTITIES[name];
    if (character === undefined) throw new Error(`&${name}; is not known`);
    return character;
  });
}

/** The element itself, followed by all elements inside it. */
export function elementsOf(xml: Xml): Xml[] {
  return [xml, ...xml.children.flatMap(child => (typeof child === 'string' ? [] : elementsOf(child)))];
}

export function byId(xml: Xml, id: string): Xml {
  const result = elementsOf(xml).filter(element => element.attributes.id === id);
  if (result.length !== 1) throw new Error(`${result.length} elements with the id ${id}`);
  return result[0]!;
}

/** The text of an element and of everything inside it, separated by spaces. */
export function textOf(xml: Xml): string {
  return elementsOf(xml)
    .flatMap(({ children }) => children.filter(child => typeof child === 'string'))
    .join(' ');
}
