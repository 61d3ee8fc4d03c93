/**
 * All disk access of the log, small enough for tests to inject a failing disk. Everything throws the system's error
 * (with its `code`); nothing is retried here.
 */

export interface FilePort {
  openToRead(path: string): OpenFile;
  /** The file must exist; every write goes to its end. */
  openToAppend(path: string): OpenFile;
  /** Creates a file that must not exist, with exactly these permissions whatever the umask, open to append. */
  create(path: string, mode: number): OpenFile;
  /** Overwrites existing bytes without moving the end of the file. */
  overwrite(path: string, position: number, bytes: Uint8Array): void;
  /** Undefined when nothing exists at the path. */
  stat(path: string): FileFacts | undefined;
  /** A file, or a directory with its content. */
  rename(from: string, to: string): void;
  unlink(path: string): void;
  /** Hard link; both paths must be on one device. */
  link(from: string, to: string): void;
  /** Removes an empty directory. */
  rmdir(path: string): void;
  /** Creates one directory, which must not exist, with mode 0700 whatever the umask. */
  mkdir(path: string): void;
  /** Empty when there is no such directory. */
  readdir(path: string): string[];
  syncDirectory(path: string): Promise<void>;
}

export interface OpenFile {
  /** Returns the number of bytes written, which may be less than given, without an error. */
  write(bytes: Uint8Array): number;
  /** Fills `into` from `position`; returns 0 at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** After a failure the file must not be synced again: the system may have dropped what it could not write. */
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
