/** Lines of a file, with the one that was asked for and those that members cite. */
import { useEffect, useMemo, useRef, useState } from "react";
import { loadedMessages, type Transcript } from "../../transcript/index.ts";
import { CodeLine } from "../diff/code-line.tsx";
import { plural } from "../format/units.ts";
import { highlight, languageOf, type HighlightedLines } from "../highlight/highlight.ts";
import { findReferences } from "../markdown/file-references.ts";
import { useStore } from "../store/use-store.ts";
import { Icon } from "../ui/icon.tsx";
import { Signs } from "./file-row.tsx";
import { useWorkVersion } from "./use-remote.ts";

export function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}

/** Lines drawn at once. */
const LINES_STEP = 1_000;

export function FileLines({ path, text, line }: { path: string; text: string; line: number | undefined }) {
  const lines = linesOf(text);
  const [limit, setLimit] = useState(LINES_STEP);
  const cited = useCitations(path);
  const coloured = useColours(path, text);
  const target = useRef<HTMLDivElement>(null);
  const shown = Math.max(limit, (line ?? 0) + LINES_STEP / 2);
  useEffect(() => {
    target.current?.scrollIntoView({ block: "center" });
  }, [path, line]);
  const members = new Set([...cited.values()].flat());
  return (
    <>
      <div className="code-rows">
        {lines.slice(0, shown).map((content, at) => {
          const names = cited.get(at + 1);
          const isHot = at + 1 === line || names !== undefined;
          return (
            <div key={at} className={isHot ? "dl one hot" : "dl one"} ref={at + 1 === line ? target : undefined}>
              <span className="ln" data-number={at + 1} />
              <code>
                <CodeLine text={content.replace(/\r$/, "")} line={coloured?.[at]} />
              </code>
              {names === undefined ? null : <Signs names={names} />}
            </div>
          );
        })}
        {lines.length > shown ? (
          <button type="button" className="btn sm more-rows" onClick={() => setLimit(shown + LINES_STEP * 5)}>
            Show more of {plural(lines.length, "line")}
          </button>
        ) : null}
      </div>
      {members.size === 0 ? null : (
        <p className="cited fact">
          <Icon name="quote" size="s" />
          {members.size === 1 ? "1 member cites this file" : `${members.size} members cite this file`}
        </p>
      )}
    </>
  );
}

function useColours(path: string, text: string): HighlightedLines | undefined {
  const [colours, setColours] = useState<{ text: string; lines: HighlightedLines | undefined }>();
  useEffect(() => {
    let isGone = false;
    void highlight(text, languageOf(path)).then((made) => {
      if (!isGone) setColours({ text, lines: made });
    });
    return () => {
      isGone = true;
    };
  }, [path, text]);
  return colours?.text === text ? colours.lines : undefined;
}

/** Members by the line of the file that they name in an answer. */
function useCitations(path: string): ReadonlyMap<number, readonly string[]> {
  const store = useStore();
  const version = useWorkVersion();
  return useMemo(
    () => citationsIn(store.getState().transcript, path),
    // oxlint-disable-next-line react/exhaustive-deps -- read again when members have gone on.
    [store, path, version],
  );
}

function citationsIn(transcript: Transcript | undefined, path: string): ReadonlyMap<number, readonly string[]> {
  const cited = new Map<number, string[]>();
  if (transcript === undefined) return cited;
  const name = path.slice(path.lastIndexOf("/") + 1);
  for (const message of loadedMessages(transcript)) {
    if (message.kind !== "turn") continue;
    for (const block of message.blocks) {
      if (block.kind !== "text" || !block.text.includes(name)) continue;
      for (const { path: named, line } of findReferences(block.text)) {
        if (line === undefined || (named !== path && !path.endsWith(`/${named}`) && !named.endsWith(`/${path}`)))
          continue;
        const members = cited.get(line) ?? [];
        if (!members.includes(message.member)) cited.set(line, [...members, message.member]);
      }
    }
  }
  return cited;
}
