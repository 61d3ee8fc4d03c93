/** How the sessions of one other program are found on a disk and read. Reads only. */
import type * as sessionFiles from "./builder/session-files.ts";
import type { FilePeek } from "./peek-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ExternalFormat {
  readonly name: string;
  /** The directories in which the program keeps its sessions on this machine. */
  stores(env: Environment): readonly string[];
  /** The directories of them in which sessions of this working directory can be, when the names tell. */
  storesOf?(env: Environment, cwd: string): readonly string[];
  /** Whether a file of this name may be one of its sessions. */
  isFile(name: string): boolean;
  /** What the beginning of a file tells; undefined when it is something else, or no session of its own. */
  recognise(path: string, peek: FilePeek): Recognised | undefined;
  /** Undefined when nobody says anything in it. */
  read(path: string, options: { member: string }): Promise<sessionFiles.ExternalSession | undefined>;
}

export interface Recognised {
  readonly nativeId: string;
  /** Absent when the beginning does not tell. */
  readonly title?: string | undefined;
  readonly cwd?: string | undefined;
  /** Of the user and the agent, in what was looked at. */
  readonly messages: number;
}
