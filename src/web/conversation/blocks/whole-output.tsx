/** What was too large for the conversation, fetched when somebody wants it. */
import { useState } from "react";
import type { ToolBlock } from "../../../transcript/index.ts";
import { useStore } from "../../store/use-store.ts";
import { formatBytes } from "../../format/units.ts";
import { outputInPlainSight } from "../../format/plain-sight.ts";

/** More than this is not put on the page. */
const SHOWN_CHARS_MAX = 2_000_000;

type Truncated = NonNullable<ToolBlock["truncated"]>;

export function WholeOutput({ truncated: { totalBytes, shownBytes, blob } }: { truncated: Truncated }) {
  const store = useStore();
  const [text, setText] = useState<string>();
  const [isLoading, setLoading] = useState(false);
  async function load(sha256: string): Promise<void> {
    setLoading(true);
    await store.guarded(async () => setText(shownOf(await (await store.readBlob(sha256)).text())));
    setLoading(false);
  }
  if (text !== undefined) {
    return (
      <pre className="tool-output whole" tabIndex={0} role="group" aria-label="Whole output">
        {text}
      </pre>
    );
  }
  return (
    <p className="truncated-fact">
      Showing {formatBytes(shownBytes)} of {formatBytes(totalBytes)}.{" "}
      {blob === undefined ? (
        "The rest was not kept."
      ) : (
        <button type="button" className="quiet" disabled={isLoading} onClick={() => void load(blob.sha256)}>
          {isLoading ? "Fetching…" : "Show all"}
        </button>
      )}
    </p>
  );
}

function shownOf(text: string): string {
  const shown = outputInPlainSight(text.slice(0, SHOWN_CHARS_MAX));
  return text.length > SHOWN_CHARS_MAX ? `${shown}\n… (more than the page shows)` : shown;
}
