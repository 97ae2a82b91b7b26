import { findApiKeys } from '../redact/api-keys.js';
import type { Source } from '../yaml/source.js';
import type { Diagnostics } from './diagnostics.js';

/** Reports API keys anywhere in a file: in values, names and comments, they are in the history of the repository as well. */
export function reportPastedKeys(source: Source, diagnostics: Diagnostics): void {
  for (const found of findApiKeys(source.text))
    diagnostics.error(
      'unsafe-text',
      { source, ...found },
      'this looks like an API key, which must not be in a manifest',
      {
        help: 'Remove it, and revoke the key if it is real: it stays in the git history. roster reads its key from `ROSTER_API_KEY`.',
      },
    );
}
