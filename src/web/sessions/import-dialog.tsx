/** Choosing a session file of this or another program and importing it. */
import { useState } from "react";
import { formatBytes, plural } from "../format/units.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import type { PageStore } from "../store/page-store.ts";
import { useStore } from "../store/use-store.ts";
import { FormDialog } from "../ui/form-dialog.tsx";

/** Limit of the server. */
const IMPORT_BYTES_MAX = 64 * 1024 * 1024;

export function ImportDialog({ onClose, onImported }: { onClose: () => void; onImported: () => void }) {
  const store = useStore();
  const [file, setFile] = useState<File>();
  async function submit(): Promise<void> {
    if (file === undefined) throw new Error("Choose a file first.");
    await importFile(store, file);
    onImported();
  }
  return (
    <FormDialog
      title="Import a session"
      action="Import"
      onSubmit={submit}
      onClose={onClose}
      busyNote={
        file === undefined ? null : (
          <>
            <progress aria-label="Importing" /> Importing {inPlainSight(file.name)} ({formatBytes(file.size)})…
          </>
        )
      }
    >
      <p>
        A session file from Claude Code, Codex or Pi, or a session exported as JSON lines. The file itself is not
        changed.
      </p>
      <input
        type="file"
        aria-label="Session file"
        accept=".jsonl,.json,.zst"
        onChange={({ target }) => setFile(target.files?.[0])}
      />
      <p className="fact">
        Up to {formatBytes(IMPORT_BYTES_MAX)}. For larger files and whole folders, run <code>roundtable import</code>.
      </p>
    </FormDialog>
  );
}

interface Imported {
  readonly sessionId: string;
  readonly isNew: boolean;
  readonly added: number;
  readonly warnings: readonly string[];
}

/** Opens the imported session; rejects with a message for the user. */
async function importFile(store: PageStore, file: File): Promise<void> {
  if (file.size > IMPORT_BYTES_MAX) {
    throw new Error(
      `${inPlainSight(file.name)} is ${formatBytes(file.size)}; the limit is ${formatBytes(IMPORT_BYTES_MAX)}. Run \`roundtable import\` in a terminal instead.`,
    );
  }
  const answer = await store.ask(`/v1/import?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: file,
  });
  const body: unknown = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const { error } = body as { error?: { message: string; hint?: string } };
    const message = error?.message ?? `The file could not be imported (${answer.status}).`;
    throw new Error([message, error?.hint].filter(Boolean).join(" "));
  }
  const { sessionId, isNew, added, warnings } = body as Imported;
  store.goTo({ sessionId });
  const what = isNew
    ? `Imported: ${plural(added, "message")}.`
    : added === 0
      ? "Already imported. There is nothing new."
      : `Imported ${plural(added, "new message")}.`;
  store.notify([what, ...warnings.slice(0, 1)].join(" "));
}
