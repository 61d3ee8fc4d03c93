/** One line under the draft: who speaks, what waits, which keys do something now where there are keys. */
import { membersInOrder, type Head } from "../../transcript/index.ts";
import { useHasKeys } from "../app/has-keys.ts";
import { useApp, useHead } from "../store/use-store.ts";

export function StatusLine() {
  const hasKeys = useHasKeys();
  const status = useHead((head) => statusOf(head, hasKeys));
  const note = useApp((state) => state.note);
  const action = useApp((state) => state.noteAction);
  const isNew = useApp((state) => state.sessionId === undefined);
  const fallback = useApp(({ planned }) => (isNew ? `New session in ${planned.cwd}` : ""));
  return (
    <p className="status" role="status">
      {note === "" ? (status ?? fallback) : note}
      {action === undefined ? null : (
        <button type="button" className="quiet" onClick={action.run}>
          {action.label}
        </button>
      )}
    </p>
  );
}

function statusOf(head: Head, hasKeys: boolean): string {
  const busy = membersInOrder(head)
    .filter((member) => member.state === "running")
    .map((member) => member.name);
  const key = (hint: string): string[] => (hasKeys ? [hint] : []);
  const parts = [
    ...(head.ui.working === undefined ? [] : [head.ui.working]),
    ...(busy.length > 0
      ? [`${busy.join(", ")} ${busy.length > 1 ? "speak" : "speaks"}`, ...key("Escape interrupts")]
      : []),
    ...(head.requests.length > 0 ? key("Shift+Tab leads to the request") : []),
    ...(head.queue.length > 0 ? [`${head.queue.length} queued`] : []),
    ...(head.council.state === "paused" && head.council.message !== undefined ? [head.council.message] : []),
    ...Object.values(head.ui.status),
  ];
  return (parts.length > 0 ? parts : key("Enter sends · Shift+Enter makes a line")).join(" · ");
}
