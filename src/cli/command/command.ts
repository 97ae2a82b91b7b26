import type { Diagnostic } from '../../model/diagnostic.js';
import type { CommandContext } from '../host/host.js';
import type { Definition } from './definition.js';
import type { Flag, formatFlag, noColor, pruning, ValuesOf, verbose, writeFlag } from './flag.js';

/** A command: its words, and what runs it. */
export interface Command extends Definition {
  /** Under which heading the help lists it. */
  readonly group: string;
  /** Loads what runs it, so that help and other commands do not. Null for `help`, which is the program's own. */
  readonly load: (() => Promise<Runner>) | null;
}

/** Takes the arguments of the command, its flags and the context. */
export type Runner = (...given: readonly unknown[]) => Promise<CommandResult<string>>;

/** The function that runs a command. Returns the result, in each of its formats. */
export type Implementation<D extends Definition> = (
  ...given: [...ArgumentsOf<D>, flags: FlagsOf<D>, context: RunContext]
) => Promise<CommandResult<FormatOf<D>>>;

export type FormatOf<D extends Definition> = D['formats'][number];

type ArgumentsOf<D extends Definition> = D extends { readonly arguments: infer A extends readonly object[] }
  ? { -readonly [K in keyof A]: A[K] extends { readonly term: infer T } ? ArgumentValue<T> : never }
  : [];

type ArgumentValue<T> = T extends `${string}...${string}`
  ? readonly string[]
  : T extends `<${string}`
    ? string
    : string | undefined;

type OwnFlags<D extends Definition> = D extends { readonly options: readonly (infer E extends Flag)[] }
  ? E
  : never;
type SharedFlags<D extends Definition> = D extends { readonly shared: readonly (infer E extends Flag)[] }
  ? E
  : never;
type AnyFlag = ReturnType<typeof formatFlag> | typeof noColor | typeof verbose;
type WriteFlag<D extends Definition> = '--write' extends OwnFlags<D>['flags']
  ? never
  : ReturnType<typeof writeFlag>;

/** The flags of a command. */
export type FlagsOf<D extends Definition> = ValuesOf<OwnFlags<D> | SharedFlags<D> | AnyFlag | WriteFlag<D>>;

/** The flags that commands have in common. */
export type CommonFlags = ValuesOf<(typeof pruning)[number] | AnyFlag | ReturnType<typeof writeFlag>>;

export interface RunContext extends CommandContext {
  readonly page: Definition['page'];
  /** To be called once something may have been changed: any failure after that ends with exit code 3, unless it is an interrupt. */
  begin(): void;
}

/** The result of a command: its exit code, and its text in every format. */
export interface CommandResult<F extends string> {
  /** Default: 0. */
  readonly exit?: number;
  /** Printed on stderr, unless the format includes them. */
  readonly diagnostics?: readonly Diagnostic[];
  /** For errors about what the text shows: a person sees its rows, and then what is wrong with them. Default: they are first. */
  readonly diagnosticsLast?: true;
  /** Its text in each format. */
  readonly render: Readonly<Record<F, (options: RenderOptions) => string | Promise<string>>>;
}

export interface RenderOptions {
  readonly color: boolean;
  readonly width: number;
  readonly verbose: boolean;
  readonly breaksRows: boolean;
}
