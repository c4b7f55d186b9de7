/** Characters that XML 1.0 doesn't allow even when escaped: controls, lone surrogates, U+FFFE, and U+FFFF. */
const INVALID_XML_CHARS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for elements and attributes. Characters that XML does not allow become U+FFFD. */
export function escapeXml(text: string): string {
  return text.replace(INVALID_XML_CHARS, '\ufffd').replace(/[&<>"']/g, character => ENTITIES[character]!);
}

export type Attributes = Record<string, string | number | undefined>;

/** An element. Attributes are escaped, and undefined ones are omitted. The content must be XML. */
export function element(name: string, attributes: Attributes, ...content: string[]): string {
  const pairs = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeXml(String(value))}"`],
  );
  const open = `<${name}${pairs.join('')}`;
  return content.length === 0 ? `${open}/>` : `${open}>${content.join('')}</${name}>`;
}

export function textElement(name: string, attributes: Attributes, text: string): string {
  return element(name, attributes, escapeXml(text));
}
