/** Begin, fork, delete, restore and download a session. */
import { focusDraftSoon } from "../input/focus.ts";
import type { PageStore } from "../store/page-store.ts";

export const EXPORT_FORMATS = ["html", "markdown", "jsonl"] as const;

/** What is typed next is its first message. */
export function startNew(store: PageStore): void {
  store.goTo({});
  focusDraftSoon();
}

export interface ForkOptions {
  /** The open one by default. */
  readonly sessionId?: string;
  /** The end by default. */
  readonly seq?: number;
  readonly title?: string;
}

/** Opens the fork; rejects with the host's message. */
export async function forkFrom(store: PageStore, options: ForkOptions): Promise<void> {
  const { seq, title, sessionId: from } = options;
  const fork = {
    type: "fork",
    ...(seq === undefined ? {} : { seq }),
    ...(title === undefined || title === "" ? {} : { title }),
  } as const;
  const { sessionId } = ((await forkElsewhere(store, options)) ?? (await store.command(fork, from))) as {
    sessionId: string;
  };
  store.goTo({ sessionId });
  store.notify("Forked. The original session is unchanged.");
}

/** A session whose machine is away continues where the next session would begin. Undefined for any other one. */
async function forkElsewhere(store: PageStore, { seq, title, sessionId: given }: ForkOptions) {
  const { sessions, sessionId: open, planned } = store.getState();
  const sessionId = given ?? open;
  const summary = sessions.find((one) => one.sessionId === sessionId);
  if (summary?.at === undefined || summary.at.isConnected) return undefined;
  const answer = await store.ask("/v1/team/forks", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId, seq, at: planned.cwd, ...(title ? { title } : {}) }),
  });
  const body = (await answer.json()) as { sessionId: string; error?: { message: string; hint?: string } };
  if (answer.ok) return body;
  throw new Error([body.error?.message, body.error?.hint].filter(Boolean).join(" "));
}

/** An open session is left first, and shown again if the host refuses. */
export async function deleteFrom(store: PageStore, sessionId: string): Promise<void> {
  const { sessionId: openId, ownPage } = store.getState();
  const isOpen = openId === sessionId;
  const focused = document.activeElement;
  if (isOpen) store.goTo({});
  // From the list, one stays in the list.
  if (isOpen && ownPage !== undefined) store.goTo({ page: ownPage.page });
  try {
    await store.client.deleteSession(sessionId);
  } catch (error) {
    if (isOpen) store.goTo({ sessionId });
    throw error;
  }
  // Its row goes, and the focus of the keyboard with it: to the way back.
  if (focused instanceof HTMLElement && focused.matches(".session-row :focus-visible")) focused.blur();
  const undo = () => store.guarded(() => restoreTo(store, sessionId));
  store.notify("Moved to trash.", { label: "Undo", run: () => void undo() });
}

/** Rejects with the host's message. */
export async function restoreTo(store: PageStore, sessionId: string): Promise<void> {
  await store.client.restoreSession(sessionId);
  store.goTo({ sessionId });
  store.notify("Restored from trash.");
}

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

interface DownloadOptions {
  readonly sessionId: string;
  readonly format: ExportFormat;
  readonly isRedacted?: boolean;
}

/** Rejects with a message for the user. */
export async function downloadSession(
  store: Pick<PageStore, "ask">,
  { sessionId, format, isRedacted = false }: DownloadOptions,
): Promise<void> {
  const answer = await store.ask(`/v1/sessions/${sessionId}/export?format=${format}${isRedacted ? "&redact=1" : ""}`);
  if (!answer.ok) throw new Error(`The session could not be exported (${answer.status}).`);
  const [, name] = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "") ?? [];
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name ?? `${sessionId}.${format}`;
  link.click();
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** With the team of this machine, or no longer. */
export async function shareSession(store: PageStore, isShared: boolean): Promise<void> {
  const { sessionId } = store.getState();
  if (sessionId === undefined) throw new Error("Send a message first to start a session.");
  const answer = await store.ask(`/v1/sessions/${sessionId}/share`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ isShared }),
  });
  if (answer.status === 404) throw new Error("Sharing can only be changed on the session's own machine.");
  const { message, error } = (await answer.json()) as { message?: string; error?: { message: string } };
  if (!answer.ok) throw new Error(error?.message ?? `The session could not be shared (${answer.status}).`);
  store.notify(message ?? "");
}
