/** What members write. The parser and the sanitiser are loaded with the first text, which is shown as written until then. */
import { type ComponentType, memo, useEffect, useSyncExternalStore } from "react";
import { inOrder } from "../format/plain-sight.ts";

interface MarkdownProps {
  readonly text: string;
  /** More text may follow. */
  readonly isOpen?: boolean;
}

let Rich: ComponentType<MarkdownProps> | undefined;
let loading: Promise<void> | undefined;
const listeners = new Set<() => void>();

/** Text stays as written when the script cannot be loaded; the next text tries again. */
export function loadMarkdown(): Promise<void> {
  loading ??= import("./rich-markdown.tsx").then(
    ({ RichMarkdown }) => {
      Rich = RichMarkdown;
      for (const listener of listeners) listener();
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const Markdown = memo(function Markdown(props: MarkdownProps) {
  const Loaded = useSyncExternalStore(subscribe, () => Rich);
  useEffect(() => void loadMarkdown(), []);
  if (Loaded !== undefined) return <Loaded {...props} />;
  return (
    <div className="markdown plain" dir="auto">
      {inOrder(props.text.trim())}
    </div>
  );
});
