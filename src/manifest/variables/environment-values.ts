/** The environment that `${env.NAME}` reads, and what was read from it. */
export class EnvironmentValues {
  private readonly known = new Map<string, string | null>();
  private readonly used = new Set<string>();

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  /** Every value that was used so far: nothing that is printed may contain one. */
  get secrets(): string[] {
    return [...this.used];
  }

  /** Null when it is not set. Looked up once: the environment of a process makes a new copy each time. */
  use(name: string): string | null {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const value = (Object.hasOwn(this.env, name) ? this.env[name] : undefined) ?? null;
    this.known.set(name, value);
    if (value !== null && value !== '') this.used.add(value);
    return value;
  }
}
