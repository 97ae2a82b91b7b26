/** The system's short name for an error, such as `EACCES`; undefined for anything else, which is a bug. */
export function errnoOf(failure: unknown): string | undefined {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the path is too long',
  ENOENT: 'no such file or folder',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
};

/** Why something failed, for a message: `permission denied (EACCES)`. Never the system's own text, which holds a path. */
export function reasonOf(failure: unknown): string {
  const errno = errnoOf(failure);
  if (errno === undefined) return failure instanceof Error ? failure.message : String(failure);
  return words[errno] === undefined ? errno : `${words[errno]} (${errno})`;
}
