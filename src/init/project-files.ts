import { firstManifest, type ManifestFacts } from './first-manifest.js';
import type { NewFile } from './new-file.js';

export interface ProjectFacts extends ManifestFacts {
  /** The texts of the JSON Schemas, by name. */
  readonly schemas: Readonly<Record<'project' | 'manifest', string>>;
}

/** The project itself, and what makes editors help with it. */
export function projectFiles(facts: ProjectFacts): readonly NewFile[] {
  return [
    {
      path: 'roster.yaml',
      at: 'project',
      text: firstManifest(facts),
      wanting: (existing) =>
        facts.remote === null || /^["']?inventory["']?\s*:/m.test(existing)
          ? null
          : 'add `inventory: { git: {} }`, which all who apply share',
    },
    schemaFile('project', facts.schemas.project),
    schemaFile('manifest', facts.schemas.manifest),
    {
      path: '.vscode/settings.json',
      at: 'project',
      text: `${JSON.stringify({ 'yaml.schemas': editorSchemas }, null, 2)}\n`,
      wanting: (existing) =>
        existing.includes('schemas/project.schema.json')
          ? null
          : `add \`"yaml.schemas": ${JSON.stringify(editorSchemas)}\``,
    },
    {
      path: '.gitignore',
      at: 'project',
      text: '# Where `deliver: { file: … }` puts new API keys.\n.secrets/\n',
      wanting: (existing) =>
        /^\/?\.secrets\/?\s*$/m.test(existing)
          ? null
          : 'add `.secrets/`, where new API keys are delivered to',
    },
  ];
}

/** Which files an editor checks by which schema. */
const editorSchemas = {
  './schemas/project.schema.json': 'roster.yaml',
  './schemas/manifest.schema.json': 'teams/*.yaml',
};

function schemaFile(name: 'project' | 'manifest', text: string): NewFile {
  return {
    path: `schemas/${name}.schema.json`,
    at: 'project',
    text,
    wanting: (existing) =>
      existing === text ? null : `\`roster schema ${name}\` prints the one of this version`,
  };
}
