/** A section of the settings: title, what it is about, and rows. */
import type { ReactNode } from "react";

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly lead: string;
  readonly action?: ReactNode;
  /** Below the rows. */
  readonly note?: string;
  readonly children: ReactNode;
}

export function Section({ id, title, lead, action, note, children }: SectionProps) {
  return (
    <section id={`settings-${id}`} aria-labelledby={`settings-${id}-title`}>
      <div className="set-head">
        <div className="grow">
          <h2 id={`settings-${id}-title`}>{title}</h2>
          <p className="set-lead">{lead}</p>
        </div>
        {action}
      </div>
      <div className="set-list">{children}</div>
      {note === undefined ? null : <p className="set-note fact">{note}</p>}
    </section>
  );
}

/** Where a value comes from. */
export function fromLabel(from: string): string {
  return from === "default" ? "The default" : `From ${from}`;
}
