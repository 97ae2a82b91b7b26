/** Loaded by each process that runs tests. Without this, it would go on, and write into the temp folder, after the run was killed. */
process.on('disconnect', () => process.exit());
