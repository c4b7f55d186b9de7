import { validationError } from '../http/error-responses.ts';

export type Scalar = string | number | boolean;

/** A condition on a property. The conditions of a filter are combined with AND. */
export type Condition = {
  property: string;
  operator: '=' | '<' | '<=' | '>' | '>=' | 'IN' | 'BETWEEN' | 'LIKE' | 'IS NOT NULL';
  values: Scalar[];
};

export const SUPPORTED = '=, <, <=, >, >=, BETWEEN, IN, LIKE, and IS NOT NULL, combined with AND';

const MAX_LENGTH = 4_000;
const MAX_DEPTH = 20;

type Token = { kind: 'symbol' | 'text' | 'number' | 'word' | 'end'; text: string };

const TOKEN =
  /\s*(?:(<>|<=|>=|[=<>(),])|'((?:[^']|'')*)'|([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|"([^"]+)"|([A-Za-z_]\w*)|(\S))/giy;

const fault = (why: string) => validationError({ filter: [why] });

function tokensOf(text: string): Token[] {
  if (text.length > MAX_LENGTH) throw fault(`is longer than ${MAX_LENGTH} characters`);
  const tokens: Token[] = [];
  for (const [, symbol, string, number, quoted, word, other] of text.matchAll(TOKEN)) {
    if (other !== undefined) throw fault(`has an unexpected ${other}`);
    if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol });
    else if (string !== undefined) tokens.push({ kind: 'text', text: string.replaceAll("''", "'") });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else tokens.push({ kind: 'word', text: quoted ?? word! });
  }
  return tokens;
}

/** Reads CQL2 text. @throws PlatError `validation_error` that says what Plat supports */
export function parseCql(text: string): Condition[] {
  const reader = new Reader(tokensOf(text));
  const conditions = reader.all(0);
  if (!reader.isAtEnd()) throw reader.unexpected();
  return conditions;
}

const COMPARISONS = ['=', '<', '<=', '>', '>='] as const;
const isComparison = (text: string): text is (typeof COMPARISONS)[number] =>
  (COMPARISONS as readonly string[]).includes(text);

class Reader {
  private at = 0;
  private readonly tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  private get next(): Token {
    return this.tokens[this.at] ?? { kind: 'end', text: 'end' };
  }

  isAtEnd(): boolean {
    return this.next.kind === 'end';
  }

  unexpected(): Error {
    const { text } = this.next;
    return fault(`has ${text} where Plat can't use it. Supported: ${SUPPORTED}`);
  }

  private accepts(...words: string[]): boolean {
    const matches = words.every((word, offset) => {
      const token = this.tokens[this.at + offset];
      return token !== undefined && token.kind !== 'text' && token.text.toUpperCase() === word;
    });
    if (matches) this.at += words.length;
    return matches;
  }

  private require(...words: string[]): void {
    if (!this.accepts(...words)) throw this.unexpected();
  }

  all(depth: number): Condition[] {
    if (depth > MAX_DEPTH) throw fault(`has more than ${MAX_DEPTH} nested parentheses`);
    const conditions: Condition[] = [];
    do {
      if (this.accepts('(')) {
        conditions.push(...this.all(depth + 1));
        this.require(')');
      } else conditions.push(this.condition());
    } while (this.accepts('AND'));
    return conditions;
  }

  private condition(): Condition {
    const { kind, text: property } = this.next;
    if (kind !== 'word' || property.toUpperCase() === 'NOT') throw this.unexpected();
    this.at++;
    if (this.accepts('IS', 'NOT', 'NULL')) return { property, operator: 'IS NOT NULL', values: [] };
    if (this.accepts('BETWEEN')) {
      const least = this.scalar();
      this.require('AND');
      return { property, operator: 'BETWEEN', values: [least, this.scalar()] };
    }
    if (this.accepts('IN', '(')) {
      const values = [this.scalar()];
      while (this.accepts(',')) values.push(this.scalar());
      this.require(')');
      return { property, operator: 'IN', values };
    }
    if (this.accepts('LIKE')) return { property, operator: 'LIKE', values: [this.scalar()] };
    const operator = this.next.text;
    if (this.next.kind !== 'symbol' || !isComparison(operator)) throw this.unexpected();
    this.at++;
    return { property, operator, values: [this.scalar()] };
  }

  private scalar(): Scalar {
    if (this.accepts('DATE', '(') || this.accepts('TIMESTAMP', '(')) {
      const { kind, text } = this.next;
      if (kind !== 'text') throw this.unexpected();
      this.at++;
      this.require(')');
      return text.slice(0, 10);
    }
    if (this.accepts('TRUE')) return true;
    if (this.accepts('FALSE')) return false;
    const { kind, text } = this.next;
    if (kind !== 'text' && kind !== 'number') throw this.unexpected();
    this.at++;
    return kind === 'text' ? text : Number(text);
  }
}
