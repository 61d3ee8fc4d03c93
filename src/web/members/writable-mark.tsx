/** Says that members may write in this session, or would in the one that begins with the next message. */
import { WRITABLE_LABELS } from "../../transcript/index.ts";
import { useApp, useHead } from "../store/use-store.ts";

export function WritableMark() {
  const isPlanned = useApp(({ planned }) => planned.settings.writable);
  const isNew = useApp((state) => state.sessionId === undefined);
  const isWritable = useHead((head) => head.settings?.writable) ?? (isNew && isPlanned);
  if (!isWritable) return null;
  return (
    <p className="writable" title={`In this session ${WRITABLE_LABELS.on}.`}>
      <span aria-hidden="true">✎ </span>
      <span className="unseen">Members </span>may write
    </p>
  );
}
