/** What was attached to a message: small pictures, fetched when they come into view, and files that can be saved. */
import { useState } from "react";
import type { Attachment } from "../../../protocol/index.ts";
import { IMAGE_TYPES } from "../../input/attachment-check.ts";
import { useStore } from "../../store/use-store.ts";
import { formatBytes } from "../../format/units.ts";
import { inPlainSight } from "../../format/plain-sight.ts";
import { useStoredImage } from "./use-stored-image.ts";

export function AttachmentList({ attachments }: { attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Attachments">
      {attachments.map((attachment, at) => (
        <li key={`${at} ${attachment.blob.sha256}`}>
          {IMAGE_TYPES.includes(attachment.mime) ? <Thumbnail attachment={attachment} /> : null}
          <span>
            <SaveButton attachment={attachment} /> <span className="fact">{formatBytes(attachment.blob.bytes)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Thumbnail({ attachment }: { attachment: Attachment }) {
  const { name } = attachment;
  const { url, failed } = useStoredImage(attachment);
  const [isLarge, setLarge] = useState(false);
  const [isBroken, setBroken] = useState(false);
  if (failed || isBroken) return <span className="fact">(The picture could not be fetched.) </span>;
  return (
    <button
      type="button"
      className="thumbnail"
      aria-label={`${isLarge ? "Smaller" : "Larger"}: ${name}`}
      aria-expanded={isLarge}
      onClick={() => setLarge(!isLarge)}
    >
      {url === undefined ? null : <img src={url} alt={name} data-large={isLarge} onError={() => setBroken(true)} />}
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
