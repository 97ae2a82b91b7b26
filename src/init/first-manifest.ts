import { yamlWord } from './yaml-word.js';

export interface ManifestFacts {
  readonly project: string;
  /** Null if ROSTER_URL names the service. */
  readonly url: string | null;
  /** The git remote for the inventory; null to keep it in a file. */
  readonly remote: string | null;
}

/** A roster.yaml without resources, with commented examples. */
export function firstManifest({ project, url, remote }: ManifestFacts): string {
  return `# yaml-language-server: $schema=./schemas/project.schema.json
project: ${yamlWord(project)}

${service(url)}${inventory(remote)}
# Declare resources below. To split them into several files, add \`include: [teams/*.yaml]\`.

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

function inventory(remote: string | null): string {
  if (remote === null) return '';
  return `
# The inventory records what this project owns. The branch also serves as the lock between concurrent applies.
inventory:
  git:
    ref: refs/heads/roster-inventory
    remote: ${yamlWord(remote)}
`;
}
