import { createHash } from 'node:crypto';
import { type Diagnostic, messageOf, type Severity } from '../../model/diagnostic.js';
import { escapeControls } from '../escape.js';

const severities = { error: 'major', warning: 'minor', info: 'info' } as const satisfies Record<
  Severity,
  string
>;

/**
 * Diagnostics as a report of GitLab Code Quality, which shows them at the lines of a merge request. Each needs a file: those
 * without a place are at the first line of `project`.
 */
export function codeQuality(diagnostics: readonly Diagnostic[], project: string) {
  const seen = new Map<string, number>();
  return diagnostics.map((diagnostic) => {
    const { code, severity, place, policy } = diagnostic;
    const description = escapeControls(messageOf(diagnostic));
    const path = place?.file ?? project;
    // Not the line: the same problem stays the same where lines above it are added.
    const identity = JSON.stringify([code, policy, path, description]);
    const number = seen.get(identity) ?? 0;
    seen.set(identity, number + 1);
    return {
      description,
      check_name: policy === undefined ? code : `${code}/${policy}`,
      fingerprint: createHash('sha256').update(`${identity} ${number}`).digest('hex'),
      severity: severities[severity],
      location: { path, lines: { begin: place?.line ?? 1 } },
    };
  });
}
