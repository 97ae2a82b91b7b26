/** Milliseconds of processor time that a piece of work takes: hardly more on a machine that is busy otherwise. */
export function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
