/** What was attached to a message: small pictures, fetched when they come into view, and files that can be saved. */
import { useEffect, useState } from "react";
import type { Attachment } from "../../protocol/index.ts";
import { useStore } from "../store/use-store.ts";
import { bytesOf } from "../words/amounts.ts";
import { inPlainSight } from "../words/plain-sight.ts";
import { keptImage, keepImage } from "./kept-images.ts";

/** SVG is a page in disguise and never among them. */
const SHOWN_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function AttachmentList({ attachments }: { attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Attachments">
      {attachments.map((attachment, at) => (
        <li key={`${at} ${attachment.blob.sha256}`}>
          {SHOWN_TYPES.has(attachment.mime) ? <Thumbnail attachment={attachment} /> : null}
          <span>
            <SaveButton attachment={attachment} /> <span className="fact">{bytesOf(attachment.blob.bytes)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Thumbnail({ attachment: { name, mime, blob } }: { attachment: Attachment }) {
  const store = useStore();
  const [url, setUrl] = useState(() => keptImage(blob.sha256));
  const [isLarge, setLarge] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (url !== undefined) return undefined;
    let isWanted = true;
    store.readBlob(blob.sha256).then(
      (bytes) => {
        const made = keepImage(blob.sha256, new Blob([bytes], { type: mime }));
        if (isWanted) setUrl(made);
      },
      () => {
        if (isWanted) setFailed(true);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [store, blob.sha256, mime, url]);
  if (hasFailed) return <span className="fact">(The picture could not be fetched.) </span>;
  return (
    <button
      type="button"
      className="thumbnail"
      aria-label={`${isLarge ? "Smaller" : "Larger"}: ${name}`}
      aria-expanded={isLarge}
      onClick={() => setLarge(!isLarge)}
    >
      {url === undefined ? null : <img src={url} alt={name} data-large={isLarge} onError={() => setFailed(true)} />}
    </button>
  );
}

function SaveButton({ attachment: { name, blob } }: { attachment: Attachment }) {
  const store = useStore();
  async function save(): Promise<void> {
    const url = URL.createObjectURL(await store.readBlob(blob.sha256));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    // The browser has taken it by then.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }
  return (
    <button type="button" className="quiet" aria-label={`Save ${name}`} onClick={() => void store.guarded(save)}>
      {inPlainSight(name)}
    </button>
  );
}
