/** Chips of the composer: they say where a session works, what members may do and what it may cost, and change it. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { folderName } from "../format/folder-name.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatCost } from "../format/units.ts";
import { useIsTeam } from "../sign-in/use-is-team.ts";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { Icon } from "../ui/icon.tsx";
import { usePopover } from "../ui/menu.tsx";
import { onEnter } from "./focus.ts";

const RECENT_MAX = 6;
const CAN_EDIT = "Members can edit files and run commands. You'll be asked unless a rule allows it.";
const BUDGETS = [1, 2, 5, 10, 25];

/** Of the open session, or of the next one. */
export function useFolder(): string {
  const planned = useApp((state) => state.planned.cwd);
  return useHead((head) => head.cwd) ?? planned;
}

/** The folder of the next session on a team's server, while no machine offers this person one. */
const NOWHERE = "/";

export function useHasNoMachine(): boolean {
  const isTeam = useIsTeam();
  const isNowhere = useApp(
    ({ sessionId, planned }) => sessionId === undefined && planned.cwd === NOWHERE && planned.members.length === 0,
  );
  return isTeam && isNowhere;
}

/** A session stays in its folder; the next one can be put elsewhere. */
export function FolderChip() {
  const cwd = useFolder();
  const hasNoMachine = useHasNoMachine();
  const isNew = useApp((state) => state.sessionId === undefined);
  const { button, popped, isOpen, close, props } = usePopover<HTMLDivElement>((box) =>
    box.querySelector<HTMLElement>("input")?.focus(),
  );
  function done(): void {
    close();
    // What was chosen may be gone from the list, and the focus with it.
    button.current?.focus();
  }
  if (!isNew) {
    return (
      <span className="chip chip-still folder-chip" title={cwd}>
        <Icon name="folder" size="s" />
        <b className="cut">{folderName(cwd)}</b>
      </span>
    );
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className="chip folder-chip"
        {...(hasNoMachine ? {} : { title: cwd })}
        aria-label={`Folder: ${hasNoMachine ? "none" : inPlainSight(cwd)}`}
        aria-expanded={isOpen}
      >
        <Icon name="folder" size="s" />
        <b className="cut">{hasNoMachine ? "No machine" : folderName(cwd)}</b>
      </button>
      <div ref={popped} className="menu folder-menu" role="group" aria-label="Folder" {...props}>
        {isOpen ? <FolderChooser onDone={done} /> : null}
      </div>
    </>
  );
}

interface Listing {
  readonly path: string;
  readonly parent?: string;
  readonly folders: readonly { readonly name: string; readonly isRepository: boolean }[];
  readonly hasMore: boolean;
  /** On the server of a team: folders of its machines. */
  readonly others?: readonly string[];
}

/** Recent folders, those inside the chosen one, or a typed path. */
function FolderChooser({ onDone }: { onDone: () => void }) {
  const store = useStore();
  const planned = useApp((state) => state.planned.cwd);
  const sessions = useApp((state) => state.sessions);
  const isTeam = useIsTeam();
  const [typed, setTyped] = useState("");
  const newest = sessions.toSorted((a, b) => b.updatedTs - a.updatedTs).map(({ cwd }) => cwd);
  const recent = [...new Set([planned, ...newest])].slice(0, RECENT_MAX);
  async function choose(cwd: string): Promise<void> {
    if (await store.chooseFolder(cwd)) onDone();
  }
  return (
    <>
      <div className="menu-field">
        <input
          type="text"
          aria-label="Folder path"
          placeholder={isTeam ? "MACHINE:/path/to/folder" : "~/src/project"}
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={onEnter(() => typed.trim() !== "" && void choose(typed.trim()))}
        />
      </div>
      {isTeam ? null : <div className="menu-title">Recent</div>}
      {/** Those of a team's sessions do not say on which machine they are. */}
      {(isTeam ? [] : recent).map((cwd) => (
        <button key={cwd} type="button" className="menu-item" title={cwd} onClick={() => void choose(cwd)}>
          <Icon name="folder" />
          <span className="menu-label cut">{folderName(cwd)}</span>
          {cwd === planned ? <Icon name="check" size="s" /> : null}
        </button>
      ))}
      <FolderBrowser start={planned} onChoose={(cwd) => void choose(cwd)} />
    </>
  );
}

interface FolderBrowserProps {
  readonly start: string;
  readonly onChoose: (cwd: string) => void;
}

function FolderBrowser({ start, onChoose }: FolderBrowserProps) {
  const store = useStore();
  const [at, setAt] = useState(start);
  const [listing, setListing] = useState<Listing>();
  useEffect(() => {
    let isCurrent = true;
    void store.guarded(async () => {
      const answer = await store.ask(`/v1/folders?path=${encodeURIComponent(at)}`);
      if (answer.ok && isCurrent) setListing((await answer.json()) as Listing);
    });
    return () => {
      isCurrent = false;
    };
  }, [store, at]);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The folder that was entered is gone from the list, and the focus with it.
    if (document.activeElement === document.body) list.current?.querySelector("button")?.focus();
  }, [listing]);
  if (listing?.others !== undefined)
    return <MachineFolders names={listing.others} chosen={start} onChoose={onChoose} />;
  return (
    <div ref={list}>
      <div className="menu-title cut" title={listing?.path}>
        In {inPlainSight(listing?.path ?? at)}
      </div>
      {listing === undefined || listing.path === start ? null : (
        <button type="button" className="menu-item" onClick={() => onChoose(listing.path)}>
          <Icon name="check" />
          <span className="menu-label">Use this folder</span>
        </button>
      )}
      {listing?.parent === undefined ? null : (
        <button type="button" className="menu-item" onClick={() => setAt(listing.parent ?? at)}>
          <Icon name="chevron-left" />
          <span className="menu-label">Up</span>
        </button>
      )}
      {listing?.folders.map(({ name, isRepository }) => (
        <button
          key={name}
          type="button"
          className="menu-item"
          onClick={() => setAt(`${listing.path === "/" ? "" : listing.path}/${name}`)}
        >
          <Icon name={isRepository ? "git-branch" : "folder"} />
          <span className="menu-label cut">{inPlainSight(name)}</span>
          <Icon name="chevron-right" size="s" />
        </button>
      ))}
      {listing?.hasMore === true ? <div className="menu-note">Not all folders are shown. Type a path.</div> : null}
    </div>
  );
}

function MachineFolders({
  names,
  chosen,
  onChoose,
}: {
  readonly names: readonly string[];
  readonly chosen: string;
  readonly onChoose: (cwd: string) => void;
}) {
  return (
    <>
      <div className="menu-title">Machines</div>
      {names.map((name) => (
        <button key={name} type="button" className="menu-item" title={name} onClick={() => onChoose(name)}>
          <Icon name="monitor" />
          <span className="menu-label cut">{inPlainSight(name)}</span>
          {name === chosen ? <Icon name="check" size="s" /> : null}
        </button>
      ))}
      {names.length === 0 ? <div className="menu-note">No machine is offering a folder right now.</div> : null}
    </>
  );
}

/** Whether members may change files and run commands. */
export function AccessChip() {
  const store = useStore();
  const planned = useApp((state) => state.planned.settings.writable);
  const isWritable = useHead((head) => head.settings?.writable) ?? planned;
  const { button, popped, isOpen, close, props } = usePopover<HTMLDivElement>((box) =>
    box.querySelector<HTMLElement>("button")?.focus(),
  );
  const set = (writable: boolean): void => {
    close();
    if (writable !== isWritable) void store.tryCommand({ type: "set_settings", settings: { writable } });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={isWritable ? "chip edit access-chip" : "chip access-chip"}
        aria-label={`Members: ${isWritable ? "can edit" : "read-only"}`}
        aria-expanded={isOpen}
      >
        <Icon name={isWritable ? "pencil" : "lock"} size="s" />
        {isWritable ? "Can edit" : "Read-only"}
      </button>
      <div ref={popped} className="menu access-menu" role="group" aria-label="What members may do" {...props}>
        {isOpen ? (
          <>
            <button type="button" className="menu-item" aria-pressed={!isWritable} onClick={() => set(false)}>
              <Icon name="lock" />
              <span className="menu-label">
                Read-only
                <span className="fact">Members read and search. Nothing is changed.</span>
              </span>
            </button>
            <button type="button" className="menu-item" aria-pressed={isWritable} onClick={() => set(true)}>
              <Icon name="pencil" />
              <span className="menu-label">
                Can edit
                <span className="fact">{CAN_EDIT}</span>
              </span>
            </button>
          </>
        ) : null}
      </div>
    </>
  );
}

/** Dollars after which a discussion pauses and asks. */
export function BudgetChip() {
  const store = useStore();
  const planned = useApp((state) => state.planned.settings.limits);
  const limits = useHead((head) => head.settings?.limits) ?? planned;
  const { button, popped, isOpen, close, props } = usePopover<HTMLDivElement>((box) =>
    box.querySelector<HTMLElement>("button")?.focus(),
  );
  const set = (usd: number): void => {
    close();
    if (usd !== limits.usd) void store.tryCommand({ type: "set_settings", settings: { limits: { ...limits, usd } } });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="chip num budget-chip"
        aria-label={`Budget: ${formatCost(limits.usd)}`}
        aria-expanded={isOpen}
      >
        <Icon name="wallet" size="s" />
        {formatCost(limits.usd)}
      </button>
      <div ref={popped} className="menu" role="group" aria-label="Budget" {...props}>
        {isOpen ? (
          <>
            <div className="menu-title">Pause and ask after</div>
            {BUDGETS.map((usd) => (
              <button key={usd} type="button" className="menu-item" onClick={() => set(usd)}>
                <span className="menu-label num">{formatCost(usd)}</span>
                {usd === limits.usd ? <Icon name="check" size="s" /> : null}
              </button>
            ))}
            <AmountField onSet={set} />
          </>
        ) : null}
      </div>
    </>
  );
}

const AMOUNT = /^\s*\$?\s*(\d+(?:\.\d+)?|\.\d+)\s*$/;

function AmountField({ onSet }: { onSet: (usd: number) => void }) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState("");
  const problemId = useId();
  function submit(): void {
    const usd = Number(AMOUNT.exec(typed)?.[1] ?? 0);
    if (usd > 0) return onSet(usd);
    setProblem("Enter an amount in dollars above 0, such as 2.50.");
  }
  return (
    <div className="menu-field">
      <input
        type="text"
        inputMode="decimal"
        aria-label="Dollars"
        placeholder="Other amount"
        aria-invalid={problem !== ""}
        aria-describedby={problemId}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setProblem("");
        }}
        onKeyDown={onEnter(submit)}
      />
      <p id={problemId} className="field-problem" role="alert">
        {problem}
      </p>
    </div>
  );
}
