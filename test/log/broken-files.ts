/** File ports with one deliberate defect each, to prove that the checkers of the log would notice it. */
import type { FilePort, OpenFile } from "../../src/log/files/file-port.ts";

export type Defect = "ack-before-write" | "split-write" | "skip-recovery" | "reuse-epoch";

export function breakFiles(files: FilePort, defect: Defect): FilePort {
  const breakFile = OPEN_FILE_DEFECTS[defect] ?? ((file: OpenFile) => file);
  const isLog = (path: string) => path.endsWith(".jsonl");
  return {
    openToRead: (path) => files.openToRead(path),
    openToAppend: (path) => (isLog(path) ? breakFile(files.openToAppend(path)) : files.openToAppend(path)),
    create: (path, mode) => (isLog(path) ? breakFile(files.create(path, mode)) : files.create(path, mode)),
    overwrite: (path, position, bytes) => files.overwrite(path, position, bytes),
    stat: (path) => files.stat(path),
    // The file of the epoch never takes its place, so epochs without records are used again.
    rename: (from, to) =>
      defect === "reuse-epoch" && to.endsWith(".epoch") ? files.unlink(from) : files.rename(from, to),
    unlink: (path) => files.unlink(path),
    link: (from, to) => files.link(from, to),
    rmdir: (path) => files.rmdir(path),
    mkdir: (path) => files.mkdir(path),
    readdir: (path) => files.readdir(path),
    syncDirectory: (path) => files.syncDirectory(path),
  };
}

const OPEN_FILE_DEFECTS: Partial<Record<Defect, (file: OpenFile) => OpenFile>> = {
  "ack-before-write": writeBehind,
  "split-write": (file) => ({
    ...file,
    write(bytes) {
      const half = bytes.length >> 1;
      return file.write(bytes.subarray(0, half)) + file.write(bytes.subarray(half));
    },
  }),
  // A torn tail stays where it is.
  "skip-recovery": (file) => ({ ...file, truncate: () => undefined }),
};

/** Reports a write as done before the bytes reach the file, one tick later. */
function writeBehind(file: OpenFile): OpenFile {
  let waiting: Uint8Array | undefined;
  const flush = (): void => {
    const bytes = waiting;
    waiting = undefined;
    if (bytes !== undefined) file.write(bytes);
  };
  return {
    write(bytes) {
      flush();
      waiting = Buffer.from(bytes);
      setImmediate(() => {
        try {
          flush();
        } catch {
          // Killed in between: the bytes are lost, which is the defect.
        }
      });
      return bytes.length;
    },
    read(into, position) {
      flush();
      return file.read(into, position);
    },
    datasync: () => file.datasync(),
    truncate(length) {
      flush();
      file.truncate(length);
    },
    stat() {
      flush();
      return file.stat();
    },
    close() {
      flush();
      file.close();
    },
  };
}
