import { yamlWord } from './yaml-word.js';

export interface ManifestFacts {
  readonly project: string;
  /** Null leaves the service to ROSTER_URL. */
  readonly url: string | null;
  /** The git remote that keeps the inventory; null keeps it in a file. */
  readonly remote: string | null;
}

/** A roster.yaml that declares nothing yet and shows how. */
export function firstManifest({ project, url, remote }: ManifestFacts): string {
  return `# yaml-language-server: $schema=./schemas/project.schema.json
project: ${yamlWord(project)}

${service(url)}${inventory(remote)}
# What shall exist, by an entry's key. Several files? \`include: [teams/*.yaml]\`, and the sections in those.

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
  if (url !== null) return `service:\n  url: ${url} # ROSTER_URL and --url win over it\n`;
  return '# The service is the one that ROSTER_URL names.\n# service:\n#   url: https://collect.example.com\n';
}

function inventory(remote: string | null): string {
  if (remote === null) return '';
  return `
# What this project owns, with what was applied last: on a branch that all who apply share, which is the lock, too.
inventory:
  git:
    ref: refs/heads/roster-inventory
    remote: ${yamlWord(remote)}
`;
}
