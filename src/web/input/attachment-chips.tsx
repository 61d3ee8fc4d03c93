/** The files that go with the message, before it is sent, and the button that chooses more. */
import { useEffect, useRef, useState } from "react";
import { Icon } from "../app/icon.tsx";
import { useStoredImage } from "../conversation/messages/use-stored-image.ts";
import { formatBytes } from "../format/units.ts";
import { IMAGE_TYPES } from "./attachment-check.ts";
import type { Attachments, ChosenFile } from "./attachments.ts";

export function AttachmentChips({ attachments }: { attachments: Attachments }) {
  const { chosen, isDragging } = attachments;
  return (
    <>
      {isDragging ? <p className="drop-hint">Let go to attach.</p> : null}
      {chosen.length === 0 ? null : (
        <ul className="chips" aria-label="To be sent with the message">
          {chosen.map((one) => (
            <Chip key={one.id} chosen={one} onRemove={() => attachments.remove(one.id)} />
          ))}
        </ul>
      )}
    </>
  );
}

function Chip({ chosen: { file, mime }, onRemove }: { chosen: ChosenFile; onRemove: () => void }) {
  const isImage = IMAGE_TYPES.includes(mime);
  const isHere = file instanceof File;
  const own = useObjectUrl(isImage && isHere ? file : undefined);
  const stored = useStoredImage(isImage && !isHere ? file : undefined);
  const url = own ?? stored.url;
  return (
    <li className="chip">
      {url === undefined ? null : <img src={url} alt="" />}
      <span className="chip-name" dir="auto">
        {file.name}
      </span>
      <span className="fact">{formatBytes(isHere ? file.size : file.blob.bytes)}</span>
      <button type="button" aria-label={`Do not attach ${file.name}`} onClick={onRemove}>
        ✕
      </button>
    </li>
  );
}

function useObjectUrl(file: File | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (file === undefined) return undefined;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url;
}

export function AttachButton({ attachments, isDisabled }: { attachments: Attachments; isDisabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          attachments.add([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = "";
        }}
      />
      <button
        type="button"
        className="attach"
        aria-label="Attach images or files"
        title="Attach images or files; pasting and dropping work too"
        disabled={isDisabled}
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
    </>
  );
}
