/** Whether a path lies in a directory, by name only; resolve links first. */
import { isAbsolute, relative, sep } from "node:path";

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
