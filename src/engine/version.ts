import manifest from '../../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** On npm. The command is called `roster`. */
export const packageName: string = manifest.name;
