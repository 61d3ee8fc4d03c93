/** Splits the NUL-separated paths that git prints; bytes may be cut anywhere, also inside a character. */
import { StringDecoder } from "node:string_decoder";

export interface PathSplitter {
  readonly paths: string[];
  /** False when there are as many paths as allowed. */
  push: (bytes: Buffer) => boolean;
}

/** No file system knows a longer path; without the limit output without a NUL would be held for ever. */
const PATH_CHARS_MAX = 8_192;

export function createPathSplitter(filesMax: number): PathSplitter {
  const decoder = new StringDecoder("utf8");
  const paths: string[] = [];
  let rest = "";
  const push = (bytes: Buffer): boolean => {
    const parts = (rest + decoder.write(bytes)).split("\0");
    rest = (parts.pop() ?? "").slice(0, PATH_CHARS_MAX);
    for (const path of parts) {
      if (!isBelow(path)) continue;
      if (paths.length === filesMax) return false;
      paths.push(path);
    }
    return true;
  };
  return { paths, push };
}

/** A repository can be configured to have its work tree elsewhere; its paths then lead out of the directory. */
function isBelow(path: string): boolean {
  return path !== "" && !path.startsWith("/") && !path.split("/").includes("..");
}
