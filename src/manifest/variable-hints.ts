import { quoted } from '../yaml/text.js';
import type { Entry } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';

const forms = `There are ${form('var.NAME')} and ${form('env.NAME')}; write \`$$\{\` for a plain \`$\{\`.`;

/** What was most likely meant by a variable that is none, or that nobody declares. */
export class VariableHints {
  /** The environment that declares a variable, by its name. */
  private readonly elsewhere = new Map<string, string>();

  constructor(
    private readonly vars: ReadonlyMap<string, Entry>,
    private readonly told: Diagnostics,
  ) {}

  /** Variables that an environment declares, which need not be the one that was chosen. */
  mention(environment: string, names: Iterable<string>): void {
    for (const name of names) if (!this.elsewhere.has(name)) this.elsewhere.set(name, environment);
  }

  /** For a `${…}` of another form. */
  ofForm(written: string): string {
    if (written === '${') return `One \`}\` closes it. ${forms}`;
    const meant = this.meant(written.slice(2, -1).trim());
    return meant === null ? forms : `Did you mean ${form(meant)}?`;
  }

  ofName(name: string): string {
    const environment = this.elsewhere.get(name);
    if (environment !== undefined)
      return `It is declared for the environment ${quoted(environment)}: choose it with -e, or give it a value under \`vars:\` as well.`;
    const near = this.near(name);
    return near === null
      ? 'Declare it under `vars:` in roster.yaml.'
      : `Did you mean ${form(`var.${near}`)}?`;
  }

  /** `country`, `vars.country` or `ENV.HOME`, with the right word before it. */
  private meant(inside: string): string | null {
    const [, prefix = '', name = ''] = /^(?:([A-Za-z]+)\.)?([A-Za-z_][\w-]*)$/.exec(inside) ?? [];
    if (/^env/i.test(prefix)) return `env.${name}`;
    if (name === '' || (prefix !== '' && !/^var/i.test(prefix))) return null;
    const near = this.vars.has(name) ? name : this.near(name);
    return near === null ? null : `var.${near}`;
  }

  private near(name: string): string | null {
    return this.told.near(name, this.vars.keys(), this.vars.size);
  }
}

function form(name: string): string {
  return `\`$\{${name}}\``;
}
