/** A file that `roster init` writes unless it exists. */
export interface NewFile {
  /** Relative to `at`: the root of the repository for CI files, else the project's folder. */
  readonly path: string;
  readonly at: 'repository' | 'project';
  readonly text: string;
  /** Whether an existing file is as `roster init` wrote it, so that it may be replaced. Default: never. */
  isOwn?(existing: string): boolean;
  /** What to add manually to an existing file; null if nothing is missing. */
  missingFrom(existing: string): string | null;
}

export interface ManifestFacts {
  readonly project: string;
  readonly environments: readonly string[];
  /** Null if ROSTER_URL names the service. */
  readonly url: string | null;
  /** The git remote for the inventory; null to keep it in a file. */
  readonly remote: string | null;
  /** The ref of the inventory there. */
  readonly ref: string;
  /** The folder with the JSON Schemas that editors read, from the project's folder. */
  readonly schemaFolder: string;
  /** Their texts, by name, to be written there; null if they are there. */
  readonly schemas: Readonly<Record<'project' | 'manifest', string>> | null;
}

const defaultRef = 'refs/heads/roster-inventory';

/** Two projects of a repository cannot share an inventory. */
export function inventoryRef(project: string, isOnly: boolean): string {
  return isOnly ? defaultRef : `${defaultRef}-${project}`;
}

/** The project, and settings for editors. */
export function projectFiles(facts: ManifestFacts): readonly NewFile[] {
  return [
    {
      path: 'roster.yaml',
      at: 'project',
      text: firstManifest(facts),
      missingFrom: (existing) =>
        facts.remote === null || /^["']?inventory["']?\s*:/m.test(existing)
          ? null
          : `add \`inventory: { git: ${facts.ref === defaultRef ? '{}' : `{ ref: ${facts.ref} }`} }\`, so that everyone who applies shares one inventory`,
    },
    ...(facts.schemas === null
      ? []
      : [schemaFile('project', facts.schemas.project), schemaFile('manifest', facts.schemas.manifest)]),
    editorSettings(facts),
    {
      path: '.gitignore',
      at: 'project',
      text: gitignore,
      missingFrom: (existing) =>
        /^\/?\.secrets\/?\s*$/m.test(existing) && existing.includes('*.roster-tmp')
          ? null
          : 'add `.secrets/`, the folder for new API keys, and the temporary files `roster.inventory*.lock` and `*.roster-tmp`',
    },
  ];
}

const gitignore = `# New API keys: \`deliver: { file: … }\` writes them here.
.secrets/
# What a killed command may leave behind: the lock of the inventory, and temporary files.
roster.inventory*.lock
*.roster-tmp
# Snapshots and plans that commands with \`--out\` or \`--write\` save here.
/roster.snapshot*.json
/plan.html
/plan.json
/plan.md
`;

/** Which files an editor validates, by schema. */
function editorSettings({ schemaFolder: folder }: ManifestFacts): NewFile {
  const schemas = {
    [`./${folder}/project.schema.json`]: 'roster.yaml',
    [`./${folder}/manifest.schema.json`]: 'teams/*.yaml',
  };
  return {
    path: '.vscode/settings.json',
    at: 'project',
    text: `${JSON.stringify({ 'yaml.schemas': schemas }, null, 2)}\n`,
    missingFrom: (existing) =>
      existing.includes('schemas/project.schema.json')
        ? null
        : `add \`"yaml.schemas": ${JSON.stringify(schemas)}\``,
  };
}

function schemaFile(name: 'project' | 'manifest', text: string): NewFile {
  return {
    path: `schemas/${name}.schema.json`,
    at: 'project',
    text,
    missingFrom: (existing) =>
      existing === text ? null : `\`roster schema ${name}\` prints the current version`,
  };
}

/** A roster.yaml without resources, with commented examples. */
function firstManifest(facts: ManifestFacts): string {
  const { project, environments, url, remote, ref, schemaFolder } = facts;
  return `# yaml-language-server: $schema=./${schemaFolder}/project.schema.json
project: ${yamlWord(project)}

${service(url)}${variants(environments)}${inventory(remote, ref)}
# Declare resources below, or run \`roster pull\` to write entries for the objects that exist already. To split them into several files, add \`include: [teams/*.yaml]\`.

# groups:
#   retail-prices:
#     name: Retail prices
#     description: Every shop with prices
#     members: [acme-shop, globex, initech] # agents, as a set

# pipelines:
#   nightly-refresh:
#     name: Nightly refresh
#     stages: [login-check, catalogue, prices] # agents, in this order

# schedules:
#   retail-six-hourly:
#     target: group/retail-prices # agent/<agent>, group/<key> or pipeline/<key>
#     every: 6 hours
#     startTime: 2027-01-04T06:00:00
#     timeZone: Europe/Berlin
#     inputs: { country: DE }
#   nightly:
#     target: pipeline/nightly-refresh
#     cron: "0 30 2 * * *" # seconds first
#     startTime: 2027-01-04T00:00:00
`;
}

function service(url: string | null): string {
  if (url !== null) return `service:\n  url: ${url} # overridden by ROSTER_URL and --url\n`;
  return '# ROSTER_URL sets the service, or:\n# service:\n#   url: https://collect.example.com\n';
}

function variants(environments: readonly string[]): string {
  if (environments.length === 0) return '';
  const each = environments.map((name) => `  ${yamlWord(name)}: {}\n`).join('');
  return `\n# What differs between environments, such as \`service: { url: … }\` and \`vars\`.\nenvironments:\n${each}`;
}

function inventory(remote: string | null, ref: string): string {
  if (remote === null) return '';
  return `
# The inventory records what this project owns. The branch also serves as the lock between concurrent applies.
inventory:
  git:
    ref: ${ref}
    remote: ${yamlWord(remote)}
`;
}

/** Values that parsers of some YAML version read as a boolean or null. */
const reservedWords = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** A string as a one-line YAML scalar, plain if every parser reads it as that string and quoted otherwise. */
export function yamlWord(text: string): string {
  const bare = /^[A-Za-z][\w./-]*$/.test(text) || text === '.';
  return bare && !reservedWords.test(text) ? text : JSON.stringify(text);
}
