import { watch, type FSWatcher } from "node:fs";

/**
 * Watches a directory without keeping the process alive. Undefined where that is impossible: the system's limit is
 * reached, or the file system does not support it. `onLost` is called when watching fails later. Callers poll more
 * often then.
 */
export function watchDirectory(
  directory: string,
  { onChange, onLost }: { onChange: (name: string) => void; onLost: (watcher: FSWatcher) => void },
): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, (_kind, name) => onChange(name ?? ""));
    watcher.on("error", () => {
      watcher.close();
      onLost(watcher);
    });
    return watcher;
  } catch {
    // Reported by the return value.
    return undefined;
  }
}
