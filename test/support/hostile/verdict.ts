import { isDeepStrictEqual, stripVTControlCharacters } from 'node:util';
import type { Loaded } from '../../../src/manifest/load.js';
import type { Diagnostic, Place } from '../../../src/model/diagnostic.js';
import { diagnosticsGithub } from '../../../src/view/ci/github.js';
import { sarif } from '../../../src/view/ci/sarif.js';
import { jsonText } from '../../../src/view/json/diagnostics-json.js';
import { validateJson } from '../../../src/view/json/plan-json.js';
import { diagnosticsText } from '../../../src/view/text/diagnostics-text.js';
import { danger } from '../inert.js';

/** Bytes of the files of a project by their paths. */
export type Bytes = ReadonlyMap<string, Uint8Array>;

type Lines = ReadonlyMap<string, readonly string[]>;

/** What no manifest may bring about, whatever it holds; empty when nothing of it came to pass. */
export function complaints(loaded: Loaded, files: Bytes): string[] {
  const { diagnostics, project } = loaded;
  const lines = new Map(Array.from(files, ([file, bytes]) => [file, linesOf(bytes)]));
  const failed = diagnostics.some((each) => each.severity === 'error');
  return [
    ...(failed === (project === null) ? [] : ['there is a project beside errors, or none without']),
    ...diagnostics.flatMap((each) => ofDiagnostic(each, lines)),
    ...ofViews(diagnostics),
  ];
}

function ofDiagnostic({ code, message, help = '', place, related = [] }: Diagnostic, files: Lines): string[] {
  const words = [message, help, ...related.map((each) => each.message)].join('\n');
  const places = [...(place === undefined ? [] : [place]), ...related.map((each) => each.place)];
  return [
    ...(code === 'internal' ? [`internal: ${message}`] : []),
    ...(/\n\s+at |node:internal|\.[cm]?[jt]s:\d+:\d+|\[object |\bundefined\b/.test(words)
      ? [`words of a program: ${words}`]
      : []),
    ...places.flatMap((each) => ofPlace(each, files)),
  ];
}

function linesOf(bytes: Uint8Array): readonly string[] {
  return new TextDecoder().decode(bytes).split(/\r?\n/);
}

function ofPlace(place: Place, files: Lines): string[] {
  const lines = files.get(place.file);
  if (lines === undefined) return [`a place in ${place.file}, which is no file of the project`];
  const line = lines[place.line - 1];
  const { column, length, lineText } = place;
  // Of a file that is no text, what comes before the first wrong byte is all that can be shown.
  const isThere = line?.startsWith(lineText) === true && column >= 1 && length >= 1;
  const end = column - 1 + length;
  const fits = end <= lineText.length || (length === 1 && column === lineText.length + 1);
  return isThere && fits ? [] : [`a place outside the file: ${JSON.stringify({ ...place, lineText: '' })}`];
}

function ofViews(diagnostics: readonly Diagnostic[]): string[] {
  const json = validateJson(diagnostics);
  const log = sarif(diagnostics, { version: '0.0.0', helpUri: String, project: null, environment: null });
  const texts = {
    text: diagnosticsText(diagnostics, { color: false, width: 80 }),
    colors: stripVTControlCharacters(diagnosticsText(diagnostics, { color: true, width: 80 })),
    json: jsonText(json),
    sarif: jsonText(log),
  };
  const github = diagnosticsGithub(diagnostics);
  return [
    ...Object.entries(texts).flatMap(([view, text]) => named(`${view} holds`, danger(text))),
    ...named('github holds', dangerOfCommands(github)),
    ...(same(texts.json, json) && same(texts.sarif, log) ? [] : ['JSON that reads back as something else']),
    ...(texts.sarif.includes('](') ? ['sarif holds a link'] : []),
  ];
}

/** Besides one annotation a line, and the line that counts the rest, nothing is a command. */
function dangerOfCommands(text: string): string | null {
  const words = text
    .split('\n')
    .map((line) => line.replace(/^::(?:error|warning) [a-zA-Z]+=[^:,]*(?:,[a-zA-Z]+=[^:,]*)*::/, ''));
  return danger(words.join('\n'));
}

function same(text: string, value: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
}

function named(what: string, found: string | null): string[] {
  return found === null ? [] : [`${what} ${found}`];
}
