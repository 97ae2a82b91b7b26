import { characters } from './characters.js';
import { files } from './files.js';
import { drawing, type Hostile } from './hostile.js';
import { syntax } from './syntax.js';
import { values } from './values.js';

/** Every bad input that is known; sizes and what stands around are another with another seed. */
export function corpus(seed: number): Hostile[] {
  const draw = drawing(seed);
  return [...syntax(draw), ...characters(draw), ...values(draw), ...files()];
}
