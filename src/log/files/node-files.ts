/** The real disk. Batches are written synchronously (one call, no interleaving); syncs and reads are asynchronous. */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  read,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
  type Stats,
} from "node:fs";
import { syncDirectory } from "../../kit/files/atomic-file.ts";
import { openOwnFile } from "../../kit/files/own-file.ts";
import { errorCodeOf } from "../../kit/files/system-error.ts";
import { type FileFacts, type FilePort, type OpenFile } from "./file-port.ts";

const DIRECTORY_MODE = 0o700;
/** Unlike "a" it does not create a file: a log that is gone must not come back empty. */
const APPEND_EXISTING = constants.O_RDWR | constants.O_APPEND;

export const nodeFiles: FilePort = {
  openToRead: (path) => openFile(openOwnFile(path)),
  openToAppend: (path) => openFile(openOwnFile(path, APPEND_EXISTING)),
  create(path, mode) {
    const fd = openSync(path, "ax+", mode);
    fchmodSync(fd, mode);
    return openFile(fd);
  },
  overwrite(path, position, bytes) {
    // Not through the appending handle: there Linux appends whatever position is given.
    const fd = openOwnFile(path, constants.O_RDWR);
    try {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(fd, bytes, done, bytes.length - done, position + done);
      }
    } finally {
      closeSync(fd);
    }
  },
  stat(path) {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && factsOf(stats);
  },
  rename: renameSync,
  unlink: unlinkSync,
  link: linkSync,
  rmdir: (path) => rmdirSync(path),
  mkdir(path) {
    mkdirSync(path, { mode: DIRECTORY_MODE });
    chmodSync(path, DIRECTORY_MODE);
  },
  readdir(path) {
    try {
      return readdirSync(path);
    } catch (error) {
      if (errorCodeOf(error) === "ENOENT") return [];
      throw error;
    }
  },
  syncDirectory,
};

function openFile(fd: number): OpenFile {
  let isClosed = false;
  return {
    write: (bytes) => writeSync(fd, bytes),
    read: (into, position) =>
      new Promise((resolve, reject) => {
        // The descriptor may belong to another file by now.
        if (isClosed) return reject(Object.assign(new Error("EBADF: the file is closed"), { code: "EBADF" }));
        read(fd, into, 0, into.length, position, (error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    datasync: () =>
      new Promise((resolve, reject) => fdatasync(fd, (error) => (error === null ? resolve() : reject(error)))),
    truncate: (length) => ftruncateSync(fd, length),
    stat: () => factsOf(fstatSync(fd)),
    close() {
      isClosed = true;
      closeSync(fd);
    },
  };
}

function factsOf(stats: Stats): FileFacts {
  return { size: stats.size, device: stats.dev, inode: stats.ino, isDirectory: stats.isDirectory() };
}
