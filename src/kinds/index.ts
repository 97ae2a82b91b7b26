import type { Kind } from '../model/kind.js';
import { group } from './group.js';
import { key } from './key.js';
import { pipeline } from './pipeline.js';
import { schedule } from './schedule.js';

/** The only list of kinds. Its order is the order of every output; what a kind points to stands before it. */
export const kinds: readonly Kind[] = [group, pipeline, schedule, key];
