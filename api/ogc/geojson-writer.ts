import type { Feature } from './collection-parts.ts';
import { type Projection, projectionOf } from './crs.ts';

type Coordinates = readonly number[] | readonly Coordinates[];

const [ZERO, MINUS, POINT, COMMA, OPEN, CLOSE] = Buffer.from('0-.,[]') as Iterable<number> as number[];

/** The longest number, a position's brackets, and a comma. */
const POSITION_BYTES = 64;

/**
 * Writes GeoJSON features as bytes. JSON.stringify took twice as long for coordinates, and the text of a page
 * had to be copied three times for its tag and its bytes.
 */
export class GeoJsonWriter {
  private bytes = Buffer.allocUnsafe(1 << 17);
  private at = 0;
  private readonly projection: Projection;

  constructor(crs: string) {
    this.projection = projectionOf(crs);
  }

  get length(): number {
    return this.at;
  }

  /** What has been written, starting at an earlier `length`. */
  written(from = 0): Buffer {
    return this.bytes.subarray(from, this.at);
  }

  text(text: string): this {
    // UTF-8 takes up to 3 bytes per UTF-16 unit.
    this.reserve(3 * text.length);
    this.at += this.bytes.write(text, this.at);
    return this;
  }

  /** The members of a feature's object and its closing brace. */
  members({ id, geometry, properties }: Feature): this {
    this.text(`"type":"Feature","id":${JSON.stringify(id)},"geometry":`);
    if (geometry === null) this.text('null');
    else {
      this.text(`{"type":"${geometry.type}","coordinates":`);
      this.coordinates(geometry.coordinates);
      this.text('}');
    }
    return this.text(`,"properties":${JSON.stringify(properties)}}`);
  }

  private coordinates(part: Coordinates): void {
    this.reserve(POSITION_BYTES);
    if (typeof part[0] === 'number') {
      this.position(part as readonly number[]);
      return;
    }
    this.bytes[this.at++] = OPEN!;
    for (const [index, inner] of (part as readonly Coordinates[]).entries()) {
      if (index > 0) this.bytes[this.at++] = COMMA!;
      this.coordinates(inner);
    }
    this.reserve(POSITION_BYTES);
    this.bytes[this.at++] = CLOSE!;
  }

  private position(place: readonly number[]): void {
    const { to, scale } = this.projection;
    const [x, y] = to([place[0]!, place[1]!]);
    this.bytes[this.at++] = OPEN!;
    this.decimal(Math.round(x * scale), scale);
    this.bytes[this.at++] = COMMA!;
    this.decimal(Math.round(y * scale), scale);
    this.bytes[this.at++] = CLOSE!;
  }

  /** Writes `units / scale`, without zeros at the end. */
  private decimal(units: number, scale: number): void {
    if (units < 0) this.bytes[this.at++] = MINUS!;
    const size = Math.abs(units);
    const whole = Math.floor(size / scale);
    this.digits(whole, 1);
    let rest = size - whole * scale;
    if (rest === 0) return;
    let unit = scale;
    while (rest % 10 === 0) {
      rest /= 10;
      unit /= 10;
    }
    this.bytes[this.at++] = POINT!;
    this.digits(rest, unit / 10);
  }

  /** Writes a whole number, with zeros before it if it is smaller than `least`, a power of ten. */
  private digits(value: number, least: number): void {
    let count = 1;
    for (let power = 10; power <= value || power <= least; power *= 10) count++;
    let rest = value;
    for (let place = this.at + count - 1; place >= this.at; place--) {
      const left = Math.floor(rest / 10);
      this.bytes[place] = ZERO! + rest - left * 10;
      rest = left;
    }
    this.at += count;
  }

  private reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.at + size));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}
