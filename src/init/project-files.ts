import { firstManifest, type ManifestFacts } from './first-manifest.js';
import type { NewFile } from './new-file.js';

export interface ProjectFacts extends ManifestFacts {
  /** The texts of the JSON Schemas, by name. */
  readonly schemas: Readonly<Record<'project' | 'manifest', string>>;
}

/** The project, and settings for editors. */
export function projectFiles(facts: ProjectFacts): readonly NewFile[] {
  return [
    {
      path: 'roster.yaml',
      at: 'project',
      text: firstManifest(facts),
      missingFrom: (existing) =>
        facts.remote === null || /^["']?inventory["']?\s*:/m.test(existing)
          ? null
          : 'add `inventory: { git: {} }`, so that everyone who applies shares one inventory',
    },
    schemaFile('project', facts.schemas.project),
    schemaFile('manifest', facts.schemas.manifest),
    {
      path: '.vscode/settings.json',
      at: 'project',
      text: `${JSON.stringify({ 'yaml.schemas': editorSchemas }, null, 2)}\n`,
      missingFrom: (existing) =>
        existing.includes('schemas/project.schema.json')
          ? null
          : `add \`"yaml.schemas": ${JSON.stringify(editorSchemas)}\``,
    },
    {
      path: '.gitignore',
      at: 'project',
      text: '# New API keys: `deliver: { file: … }` writes them here.\n.secrets/\n',
      missingFrom: (existing) =>
        /^\/?\.secrets\/?\s*$/m.test(existing) ? null : 'add `.secrets/`, the folder for new API keys',
    },
  ];
}

/** The files that an editor validates, by schema. */
const editorSchemas = {
  './schemas/project.schema.json': 'roster.yaml',
  './schemas/manifest.schema.json': 'teams/*.yaml',
};

function schemaFile(name: 'project' | 'manifest', text: string): NewFile {
  return {
    path: `schemas/${name}.schema.json`,
    at: 'project',
    text,
    missingFrom: (existing) =>
      existing === text ? null : `\`roster schema ${name}\` prints the current version`,
  };
}
