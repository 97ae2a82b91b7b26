import { describe, expect, test } from 'vitest';
import { jsonText } from '../../support/json.js';
