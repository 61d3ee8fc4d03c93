/** A member's model: chosen from those its program offers, or typed, since unlisted ones are accepted. */
import { useEffect, useId, useRef, useState } from "react";
import { type Head, membersInOrder, type MemberState } from "../../transcript/index.ts";
import { useHead, useStore } from "../store/use-store.ts";
import { MemberName } from "./member-name.tsx";

/** Further models are found by typing. */
const SHOWN_MAX = 30;

type Offered = NonNullable<MemberState["models"]>[number];

function ModelPicker({ member }: { member: MemberState }) {
  const store = useStore();
  const current = member.model ?? member.spec.model ?? "";
  const [draft, setDraft] = useState(current);
  const noteId = useId();
  const offered = member.models ?? [];
  // The initial value is no query.
  const query = draft === current ? "" : draft.trim().toLowerCase();
  const matches = offered.filter((one) => isNamed(one, query));
  const isRunning = member.state === "running";
  function choose(model: string): void {
    if (model === "" || model === current) return;
    void store.tryCommand({ type: "switch_model", member: member.name, model }).then((isAccepted) => {
      if (isAccepted) setDraft(model);
    });
  }
  return (
    <form
      className="model-form"
      onSubmit={(event) => {
        event.preventDefault();
        choose(draft.trim());
      }}
    >
      <label>
        <span className="fact">Model</span>
        <input
          type="text"
          value={draft}
          autoComplete="off"
          aria-describedby={isRunning ? noteId : undefined}
          onChange={({ target }) => setDraft(target.value)}
        />
      </label>
      <button type="submit" disabled={draft.trim() === "" || draft.trim() === current}>
        Switch
      </button>
      {offered.length === 0 ? null : (
        <OfferedModels label={`Models of ${member.name}`} matches={matches} current={current} onChoose={choose} />
      )}
      {isRunning ? (
        <p className="fact" id={noteId}>
          {member.name} is answering. Another model takes effect with its next turn.
        </p>
      ) : null}
    </form>
  );
}

interface OfferedModelsProps {
  readonly label: string;
  readonly matches: readonly Offered[];
  readonly current: string;
  readonly onChoose: (model: string) => void;
}

function OfferedModels({ label, matches, current, onChoose }: OfferedModelsProps) {
  return (
    <>
      <ul className="models" aria-label={label}>
        {matches.slice(0, SHOWN_MAX).map((one) => (
          <li key={one.id}>
            <button type="button" aria-pressed={one.id === current} onClick={() => onChoose(one.id)}>
              <span dir="auto">{one.name ?? one.id}</span>
              <span className="fact" dir="auto">
                {factOf(one)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {matches.length <= SHOWN_MAX ? null : (
        <p className="fact">{matches.length - SHOWN_MAX} more. Type part of a name to find them.</p>
      )}
    </>
  );
}

function isNamed({ id, name = "" }: Offered, query: string): boolean {
  return id.toLowerCase().includes(query) || name.toLowerCase().includes(query);
}

function factOf({ id, name, description }: Offered): string {
  const facts = [
    ...(name === undefined || name === id ? [] : [id]),
    ...(description === undefined ? [] : [description]),
  ];
  return facts.join(" · ");
}

/** All members with their models. */
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
      // Keys here are for the dialog only.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header>
        <h2>Models</h2>
        <button type="button" className="btn sm quiet" onClick={() => dialog.current?.close()}>
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
