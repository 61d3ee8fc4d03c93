/**
 * The only way the log reaches a disk, small enough that tests can put a breaking disk behind it.
 * Everything throws the system's error (with its `code`); nothing is retried here.
 */

export interface FilePort {
  openToRead(path: string): OpenFile;
  /** The file must exist; every write goes to its end. */
  openToAppend(path: string): OpenFile;
  /** Makes a new file that must not exist, with exactly these permissions whatever the umask, open to append. */
  create(path: string, mode: number): OpenFile;
  /** Writes over bytes that are there, without moving the end of the file. */
  overwrite(path: string, position: number, bytes: Uint8Array): void;
  /** Undefined when there is nothing at that path. */
  stat(path: string): FileFacts | undefined;
  /** A file or a directory with all that is in it. */
  rename(from: string, to: string): void;
  unlink(path: string): void;
  /** A second name for the same bytes; both must be on one device. */
  link(from: string, to: string): void;
  /** Removes a directory, which must be empty. */
  rmdir(path: string): void;
  /** Makes one directory, which must not exist, with mode 0700 whatever the umask. */
  mkdir(path: string): void;
  /** Empty when there is no such directory. */
  readdir(path: string): string[];
  syncDirectory(path: string): Promise<void>;
}

export interface OpenFile {
  /** Returns how many bytes were taken, which may be fewer than given, without an error. */
  write(bytes: Uint8Array): number;
  /** Fills `into` from `position`; 0 at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** After it has failed once the file must not be synced again: the system may have dropped what it could not write. */
  datasync(): Promise<void>;
  truncate(length: number): void;
  stat(): FileFacts;
  close(): void;
}

export interface FileFacts {
  readonly size: number;
  readonly device: number;
  readonly inode: number;
  readonly isDirectory: boolean;
}

export const FILE_MODE = 0o600;
