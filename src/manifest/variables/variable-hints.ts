import { quoted } from '../../yaml/text.js';
import type { Entry } from '../../yaml/tree.js';
import type { Diagnostics } from '../diagnostics.js';

const forms = `Use ${form('var.NAME')} or ${form('env.NAME')}, or write \`$$\{\` for a literal \`$\{\`.`;

/** What was most likely meant by a variable that is invalid or not declared. */
export class VariableHints {
  /** The environment that declares a variable, by its name. */
  private readonly elsewhere = new Map<string, string>();

  constructor(
    private readonly vars: ReadonlyMap<string, Entry>,
    private readonly diagnostics: Diagnostics,
  ) {}

  /** Variables that an environment declares, whether it is the selected one or not. */
  mention(environment: string, names: Iterable<string>): void {
    for (const name of names) if (!this.elsewhere.has(name)) this.elsewhere.set(name, environment);
  }

  /** For a `${…}` in any other form. */
  ofForm(written: string): string {
    if (written === '${') return `Close it with \`}\`. ${forms}`;
    if (written.startsWith('${roster.'))
      return `Use ${form('roster.environment')} or ${form('roster.project')}.`;
    const meant = this.meant(written.slice(2, -1).trim());
    return meant === null ? forms : `Did you mean ${form(meant)}?`;
  }

  ofName(name: string): string {
    const environment = this.elsewhere.get(name);
    if (environment !== undefined)
      return `It is declared for the environment ${quoted(environment)}: select that with \`-e\`, or declare the variable under \`vars:\` as well.`;
    const near = this.near(name);
    return near === null
      ? 'Declare it under `vars:` in `roster.yaml`.'
      : `Did you mean ${form(`var.${near}`)}?`;
  }

  /** `country`, `vars.country` or `ENV.HOME`, with the right prefix. */
  private meant(inside: string): string | null {
    const [, prefix = '', name = ''] = /^(?:([A-Za-z]+)\.)?([A-Za-z_][\w-]*)$/.exec(inside) ?? [];
    if (/^env/i.test(prefix)) return `env.${name}`;
    if (name === '' || (prefix !== '' && !/^var/i.test(prefix))) return null;
    const near = this.vars.has(name) ? name : this.near(name);
    return near === null ? null : `var.${near}`;
  }

  private near(name: string): string | null {
    return this.diagnostics.suggestions.of(name, this.vars.keys(), this.vars.size);
  }
}

function form(name: string): string {
  return `\`$\{${name}}\``;
}
