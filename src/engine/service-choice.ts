import { isLoopback } from '../model/connection.js';
import { type Problem, problem } from '../model/diagnostic.js';
import type { ServiceOverride } from '../model/plan.js';
import type { Project } from '../model/resource.js';
import { serviceUrl } from '../service/url.js';
import { selectableNames } from './diagnostics.js';
import { isNoProject } from './no-project.js';
import type { ProjectOptions } from './project.js';

/** The service of a run, and where its URL comes from. */
export interface ServiceChoice {
  readonly url: URL;
  /** For messages: `--url` and `ROSTER_URL` in backticks, or a place such as `roster.yaml:3`. */
  readonly from: string;
  /** Null when the manifest declares the same service, or none. */
  readonly override: ServiceOverride | null;
}

export interface ServiceOptions {
  /** The service. Default: ROSTER_URL, else `service.url` of the project. */
  readonly url?: string | undefined;
  /** Whether `url` or ROSTER_URL may name another service than the project declares. Default: only on this machine. */
  readonly allowServiceMismatch?: boolean | undefined;
}

type ChoiceOptions = ServiceOptions & ProjectOptions;

/**
 * The option, then the variable, then the manifest (contract §2). Nothing has been sent yet: the key must not reach a
 * service that is not meant. Throws a Problem, such as `service-mismatch`.
 */
export function chooseService(options: ChoiceOptions, project: Project): ServiceChoice {
  const chosen = serviceIfSet(options, project);
  if (chosen === null) {
    throw problem('missing-setting', 'no service URL is set', noUrlHelp(project), project.unselected?.place);
  }
  const { url, override } = chosen;
  const isRefused = override !== null && !isLoopback(url.hostname) && options.allowServiceMismatch !== true;
  if (isRefused) throw mismatch(chosen, override, project);
  return chosen;
}

function noUrlHelp(project: Project): string {
  if (isNoProject(project)) return 'Set ROSTER_URL, use `--url`, or run it in the folder of a project.';
  const { unselected, file } = project;
  if (unselected === undefined)
    return `Add \`service: { url: https://… }\` to ${file}, set ROSTER_URL, or use \`--url\`.`;
  const names = selectableNames(unselected);
  return `Select an environment with \`-e\`: ${names}. Without one, set ROSTER_URL or use \`--url\`.`;
}

/** Null when no URL is set. */
export function serviceIfSet({ url, env }: ChoiceOptions, project: Project): ServiceChoice | null {
  const variable = env['ROSTER_URL'];
  if (url !== undefined) return overriding('--url', url, env, project);
  if (variable === '') {
    const help = 'Set it to the URL of the service, or unset it to use `service.url` from the manifest.';
    throw problem('missing-setting', '`ROSTER_URL` is empty', help);
  }
  if (variable !== undefined) return overriding('ROSTER_URL', variable, env, project);
  if (project.url === null) return null;
  return { url: serviceUrl(project.url, env, 'service.url'), from: placeOfUrl(project), override: null };
}

function overriding(
  setBy: ServiceOverride['setBy'],
  text: string,
  env: ChoiceOptions['env'],
  project: Project,
): ServiceChoice {
  const url = serviceUrl(text, env, `\`${setBy}\``);
  const declared = project.url === null ? null : serviceName(new URL(project.url));
  const isSame = declared === null || declared === serviceName(url);
  return { url, from: `\`${setBy}\``, override: isSame ? null : { setBy, declared } };
}

function mismatch({ url, from }: ServiceChoice, { declared }: ServiceOverride, project: Project): Problem {
  const message = `${from} sets the service to ${serviceName(url)}, but ${placeOfUrl(project)} declares ${declared}`;
  const help = 'Check which one is correct. To use the first one, pass `--allow-service-mismatch`.';
  return problem('service-mismatch', message, help, project.urlPlace);
}

function placeOfUrl({ file, urlPlace }: Project): string {
  return urlPlace === undefined ? file : `${urlPlace.file}:${urlPlace.line}`;
}

/** The service's origin and base path, as plans name it. */
export function serviceName({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
