/** Text of a tool call; files in it that exist open in the panel. */
import { type MouseEvent, useEffect, useMemo, useSyncExternalStore } from "react";
import { inPlainSight } from "../../format/plain-sight.ts";
import { findReferences, knownFiles } from "../../markdown/file-references.ts";
import { useStore } from "../../store/use-store.ts";

/** Longer text is not searched for files. */
const SEARCHED_CHARS_MAX = 40_000;

interface FileTextProps {
  readonly text: string;
  /** Whether the links are reached by keyboard: inside a summary only the summary is. */
  readonly isReachable?: boolean;
}

export function FileText({ text, isReachable = false }: FileTextProps) {
  const store = useStore();
  const files = knownFiles(store);
  const references = useMemo(() => (text.length > SEARCHED_CHARS_MAX ? [] : findReferences(text)), [text]);
  useSyncExternalStore(files.subscribe, files.version);
  useEffect(() => files.ask(references.map(({ path }) => path)), [files, references]);
  const reach = isReachable ? ({ role: "link", tabIndex: 0 } as const) : {};
  let at = 0;
  const links = references
    .filter(({ path }) => files.has(path))
    .map(({ start, end, path, line }) => {
      const before = text.slice(at, start);
      at = end;
      const open = (event: Pick<MouseEvent, "preventDefault">): void => {
        // The row stays as it is.
        event.preventDefault();
        store.openFile(path, line);
      };
      return (
        <span key={start}>
          {inPlainSight(before)}
          <span
            className="ref"
            onClick={open}
            onKeyDown={(event) => (event.key === "Enter" ? open(event) : undefined)}
            {...reach}
          >
            {inPlainSight(text.slice(start, end))}
          </span>
        </span>
      );
    });
  return (
    <>
      {links}
      {inPlainSight(text.slice(at))}
    </>
  );
}
