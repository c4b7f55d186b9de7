import { expect, test } from 'vitest';
import { uuidV5 } from '../../../shared/model/uuid.ts';

// Golden values, from Python: uuid.uuid5(uuid.UUID('77c42915-e1ed-41c8-8930-f8185b044c6f'), name). They
// must never change:
// saved markets and clients keep these ids.
test.each([
  ['county:33019', '78b5033a-d2a6-5d19-b2bf-83916be6fa57'],
  ['zip:03280', '864de45e-9861-53f2-93ba-6c0496c1b276'],
  ['listing:münster\u0000a-1', '17de37e6-caf6-5cf9-acd8-3e8cc80a4b0e'],
])('%j has the same id in every installation', (name, id) => {
  expect(uuidV5(name)).toBe(id);
});
