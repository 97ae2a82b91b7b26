import type { Kind } from '../model/kind.js';
import { group } from './group.js';
import { key } from './key.js';
import { pipeline } from './pipeline.js';
import { schedule } from './schedule.js';

/** The only list of kinds, in the order of every output. A kind comes after those that it refers to. */
export const kinds: readonly Kind[] = [group, pipeline, schedule, key];
