/** Runs the work while standard output belongs to JSON lines; what evals and adapters print goes to standard error. */
export async function withCleanOutput<T>(work: () => Promise<T>): Promise<T> {
  const original = process.stdout.write;
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    return await work();
  } finally {
    process.stdout.write = original;
  }
}
