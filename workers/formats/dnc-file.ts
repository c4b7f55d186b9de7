/**
 * Files from the Do Not Call registry, https://telemarketing.donotcall.gov: text with one 10-digit number per
 * line, with or without a comma after the area code, or XML, `<ac val='202'><ph val='5551234'/></ac>`. Change
 * lists are text in columns, or XML with the action in an attribute. Plat reads them as bytes for speed: a
 * line of twelve bytes takes about 40 ns, and the whole list has 250 million lines.
 */

export type NumberSink = {
  /** @param prefix area code and exchange, 200000 to 999999 @param line the last four digits, 0 to 9999 */
  add(prefix: number, line: number): void;
  remove(prefix: number, line: number): void;
  bad(lineNo: number, message: string): void;
};

/**
 * @param columns the columns of a change list in text form, or null for a full list
 * @returns the number of lines or elements read
 */
export async function readDnc(
  chunks: AsyncIterable<Uint8Array>,
  columns: readonly string[] | null,
  sink: NumberSink,
): Promise<number> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return 0;
  const rest = (async function* () {
    yield first.value;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  })();
  const start = Buffer.from(first.value.subarray(0, 64)).toString('latin1').replace('ï»¿', '').trimStart();
  if (start.startsWith('<')) return readXml(rest, columns !== null, sink);
  return columns === null ? readNumbers(rest, sink) : readChanges(rest, columns, sink);
}

const [ZERO, NINE, LINE_FEED] = [48, 57, 10];
const isPrefix = (prefix: number) => prefix >= 200_000;

async function readNumbers(chunks: AsyncIterable<Uint8Array>, sink: NumberSink): Promise<number> {
  // Two small integers take half as long as one ten-digit number.
  let [prefix, line, digits, others, lineNo] = [0, 0, 0, 0, 0];
  const end = () => {
    lineNo++;
    if (digits === 10 && others <= 4 && isPrefix(prefix)) sink.add(prefix, line);
    else if (digits > 0 || others > 0) sink.bad(lineNo, 'is not a 10-digit number');
    prefix = line = digits = others = 0;
  };
  for await (const chunk of chunks) {
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte >= ZERO && byte <= NINE) {
        if (digits < 6) prefix = prefix * 10 + byte - ZERO;
        else if (digits < 10) line = line * 10 + byte - ZERO;
        digits++;
      } else if (byte === LINE_FEED) end();
      else if (byte > 32) others++;
    }
  }
  if (digits > 0 || others > 0) end();
  return lineNo;
}

/** The two halves of a ten-digit number, or null for anything else. */
function halves(digits: string): [prefix: number, line: number] | null {
  const prefix = Number(digits.slice(0, 6));
  return digits.length === 10 && isPrefix(prefix) ? [prefix, Number(digits.slice(6))] : null;
}

/** A header line, which has words instead of a number, is one bad line. */
async function readChanges(
  chunks: AsyncIterable<Uint8Array>,
  columns: readonly string[],
  sink: NumberSink,
): Promise<number> {
  const at = (name: string) => columns.indexOf(name);
  const [areaAt, numberAt, phoneAt, actionAt] = [at('area_code'), at('number'), at('phone'), at('action')];
  let lineNo = 0;
  for await (const line of linesOf(chunks)) {
    lineNo++;
    if (line.trim() === '') continue;
    const cells = line.split(/[,\t;|]/).map(cell => cell.replace(/["']/g, '').trim());
    const digits = (
      phoneAt >= 0 ? (cells[phoneAt] ?? '') : `${cells[areaAt] ?? ''}${cells[numberAt] ?? ''}`
    ).replace(/[^0-9]/g, '');
    change(digits, cells[actionAt] ?? '', lineNo, sink);
  }
  return lineNo;
}

function change(digits: string, action: string, lineNo: number, sink: NumberSink): void {
  const number = halves(digits);
  if (number === null) sink.bad(lineNo, 'has no 10-digit number');
  else if (/^a/i.test(action)) sink.add(...number);
  else if (/^[dr]/i.test(action)) sink.remove(...number);
  else
    sink.bad(
      lineNo,
      'has neither A (added) nor D (deleted); check that dnc.columns matches the order of the file',
    );
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')).split(
      '\n',
    );
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const ELEMENT = /<(list|ac|ph)\b([^>]*?)\/?>(?:([^<]*)<\/\1>)?/gi;
const ATTRIBUTE = /([\w-]+)\s*=\s*["']([^"']*)["']/g;

/** The numbers' parent element has the area code. The action is an attribute such as chg='A'. */
async function readXml(
  chunks: AsyncIterable<Uint8Array>,
  changes: boolean,
  sink: NumberSink,
): Promise<number> {
  let [rest, area, count] = ['', '', 0];
  for await (const chunk of chunks) {
    const text = rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
    // After the last complete tag, an element can continue in the next chunk.
    const whole = text.lastIndexOf('<');
    rest = text.slice(whole);
    readElements(text.slice(0, whole));
  }
  readElements(rest);
  return count;

  function readElements(text: string): void {
    for (const [, name, attributes, content] of text.matchAll(ELEMENT)) {
      const attributesByName = Object.fromEntries(
        [...attributes!.matchAll(ATTRIBUTE)].map(([, key, value]) => [key!.toLowerCase(), value!]),
      );
      const value = (attributesByName.val ?? attributesByName.value ?? content ?? '').replace(/[^0-9]/g, '');
      if (name!.toLowerCase() !== 'ph') {
        if (value.length === 3) area = value;
        continue;
      }
      count++;
      const digits = value.length === 10 ? value : area + value.padStart(7, '0');
      const { chg, change: changed, action, type, act } = attributesByName;
      const number = halves(digits);
      if (changes) change(digits, chg ?? changed ?? action ?? act ?? type ?? '', count, sink);
      else if (number === null) sink.bad(count, 'is not a 10-digit number');
      else sink.add(...number);
    }
  }
}
