/** West, south, east and north of boxes as PostgreSQL's box[], whose elements a semicolon parts. */
export function boxesLiteral(boxes: readonly (readonly [number, number, number, number])[]): string {
  return `{${boxes.map(([west, south, east, north]) => `(${east},${north}),(${west},${south})`).join(';')}}`;
}
