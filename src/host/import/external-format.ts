/** Port of an import format: how sessions of another program are found and read. Reads only. */
import type * as sessionFiles from "./builder/session-files.ts";
import type { FilePeek } from "./peek-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ExternalFormat {
  readonly name: string;
  /** Directories where the program stores its sessions. */
  stores(env: Environment): readonly string[];
  /** Those of them that can hold sessions of this working directory, if their names tell. */
  storesOf?(env: Environment, cwd: string): readonly string[];
  /** Whether a file of this name may be a session. */
  isFile(name: string): boolean;
  /** Facts from the beginning of a file; undefined when it is not a session of this program. */
  recognise(path: string, peek: FilePeek): Recognised | undefined;
  /** Undefined for a session without messages. */
  read(path: string, options: { member: string }): Promise<sessionFiles.ExternalSession | undefined>;
}

export interface Recognised {
  readonly nativeId: string;
  /** Absent when the beginning does not have it. */
  readonly title?: string | undefined;
  readonly cwd?: string | undefined;
  /** Messages of the user and the agent in the part that was read. */
  readonly messages: number;
}
