import { waitText } from '../../model/wait-text.js';
import { escapeControls } from '../escape.js';

export interface RequestAttempt {
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly attempt: number;
}

/** `GET /api/search-groups 200 35 ms (attempt 1)`: never a header or a body. */
export function requestLine({ method, path, status, milliseconds, attempt }: RequestAttempt): string {
  const result = status === null ? 'no response' : String(status);
  return `${method} ${escapeControls(path)} ${result} ${Math.round(milliseconds)} ms (attempt ${attempt})`;
}

export function pauseLine(milliseconds: number): string {
  return `The service is limiting requests; waiting ${waitText(milliseconds)}`;
}

export function readingLine(responses: number): string {
  return `Reading from the service … ${responses.toLocaleString('en-US')} responses`;
}
