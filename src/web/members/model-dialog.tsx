/** Every member with its model, to change any of them. */
import { useEffect, useRef } from "react";
import { membersInOrder, type Head } from "../../transcript/index.ts";
import { useHead } from "../store/use-store.ts";
import { MemberName } from "./member-name.tsx";
import { ModelPicker } from "./model-picker.tsx";

export function ModelDialog({ member, onClose }: { member: string | undefined; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const members = useHead((head) => head.members);
  const settings = useHead((head) => head.settings);
  const ordered = members === undefined ? [] : membersInOrder({ members, settings } as Head);
  useEffect(() => {
    dialog.current?.showModal();
    const first = member === undefined ? undefined : dialog.current?.querySelector(`[data-member="${member}"] input`);
    if (first instanceof HTMLInputElement) first.focus();
  }, [member]);
  return (
    <dialog
      ref={dialog}
      className="help model-dialog"
      aria-label="Models"
      onClose={onClose}
      // What is pressed here is for the dialog alone.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header>
        <h2>Models</h2>
        <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {ordered.map((one) => (
        <section key={one.name} data-member={one.name} aria-label={`Model of ${one.name}`}>
          <h3>
            <MemberName name={one.name} />
          </h3>
          <ModelPicker member={one} />
        </section>
      ))}
    </dialog>
  );
}
