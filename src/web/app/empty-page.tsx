/** Before a session begins: what could be asked about this repository, and recent sessions. The composer is between. */
import { useEffect, useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatWhen, plural } from "../format/units.ts";
import { useHasNoMachine } from "../input/composer-chips.tsx";
import { focusDraft } from "../input/focus.ts";
import { putIntoDraft, NEW } from "../input/use-draft.ts";
import { nameOf } from "../sessions/session-menu.tsx";
import { useApp, useStore } from "../store/use-store.ts";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Logo } from "../ui/logo.tsx";

const RECENT_MAX = 3;
const LEAD = "Everyone at the table answers. Type @name to ask one member.";

export interface FolderFacts {
  readonly branch?: string;
  readonly suggestions: readonly { readonly about: string; readonly text: string; readonly detail: string }[];
}

const NOTHING: FolderFacts = { suggestions: [] };

const ICONS: Readonly<Record<string, IconName>> = {
  branch: "git-branch",
  changes: "file-diff",
  todo: "list-checks",
  churn: "bug",
  start: "file-text",
  commit: "git-branch",
  risks: "search",
};

/** Branch of a folder and questions about it; empty until the server has answered. */
export function useFolderFacts(cwd: string): FolderFacts {
  const store = useStore();
  const [facts, setFacts] = useState({ cwd: "", facts: NOTHING });
  useEffect(() => {
    let isCurrent = true;
    void store
      .ask(`/v1/suggestions?cwd=${encodeURIComponent(cwd)}`)
      .then(async (answer) => {
        if (answer.ok && isCurrent) setFacts({ cwd, facts: (await answer.json()) as FolderFacts });
      })
      // The page works without.
      .catch(() => {});
    return () => {
      isCurrent = false;
    };
  }, [store, cwd]);
  return facts.cwd === cwd ? facts.facts : NOTHING;
}

export function EmptyHero() {
  const isReadOnly = useApp(({ team }) => team?.scope === "read");
  const hasNoMachine = useHasNoMachine();
  if (isReadOnly) return <ReadOnly />;
  return hasNoMachine ? <NoMachine /> : <Hello />;
}

function ReadOnly() {
  return (
    <div className="hello">
      <Logo />
      <h2>This device has read-only access</h2>
      <p>Open a session to follow it. Messages are written on your other devices.</p>
    </div>
  );
}

/** Nothing can be asked on a team's server before a machine is open to this person. */
function NoMachine() {
  const store = useStore();
  return (
    <div className="hello">
      <Logo />
      <h2>You don't have access to a machine yet</h2>
      <p>
        Sessions run on your team's machines. Ask the owner of one to share a folder with you, or add your own: run{" "}
        <code>roundtable join {location.origin}</code> on it. The first time, use the link from Settings, Devices
        instead of this address.
      </p>
      <Button onClick={() => void store.chooseFolder("")}>Check again</Button>
    </div>
  );
}

function Hello() {
  return (
    <div className="hello">
      <Logo />
      <h2>What are we working on?</h2>
      <p>{LEAD}</p>
    </div>
  );
}

export function EmptyIdeas({ facts: { suggestions } }: { facts: FolderFacts }) {
  const store = useStore();
  const sessions = useApp((state) => state.sessions);
  const recent = sessions
    .filter(({ archived }) => !archived)
    .toSorted((a, b) => b.updatedTs - a.updatedTs)
    .slice(0, RECENT_MAX);
  return (
    <div className="ideas">
      {suggestions.length === 0 ? null : (
        <section aria-label="In this repository">
          <h3>In this repository</h3>
          {suggestions.map(({ about, text, detail }) => (
            <button
              key={text}
              type="button"
              className="idea"
              onClick={() => {
                putIntoDraft(NEW, text);
                focusDraft();
              }}
            >
              <Icon name={ICONS[about] ?? "message-square"} />
              <span className="grow">
                <span className="idea-title">{inPlainSight(text)}</span>
                <span className="fact">{inPlainSight(detail)}</span>
              </span>
            </button>
          ))}
        </section>
      )}
      {recent.length === 0 ? null : (
        <section aria-label="Recent sessions">
          <h3>Recent sessions</h3>
          {recent.map((summary) => (
            <button
              key={summary.sessionId}
              type="button"
              className="idea"
              onClick={() => store.goTo({ sessionId: summary.sessionId })}
            >
              <Icon name="message-square" />
              <span className="grow">
                <span className="idea-title cut" dir="auto">
                  {nameOf(summary)}
                </span>
                <span className="fact">
                  {formatWhen(summary.updatedTs)} · {plural(summary.turns, "answer")}
                </span>
              </span>
            </button>
          ))}
        </section>
      )}
    </div>
  );
}
