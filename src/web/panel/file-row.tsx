/** Rows about files: path, who touched it, how many lines changed. */
import type { ReactNode } from "react";
import { formatCount } from "../../kit/text/format.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { MemberSign } from "../ui/sign.tsx";

export function PathName({ path }: { path: string }) {
  const at = path.lastIndexOf("/") + 1;
  return (
    <span className="path cut" title={path}>
      <span className="dir">{inPlainSight(path.slice(0, at))}</span>
      {inPlainSight(path.slice(at))}
    </span>
  );
}

export function LineCounts({ added, removed }: { added?: number | undefined; removed?: number | undefined }) {
  if (added === undefined || removed === undefined) return null;
  return (
    <span className="pm num">
      <span className="plus">+{formatCount(added)}</span> <span className="minus">−{formatCount(removed)}</span>
    </span>
  );
}

export function Signs({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <span className="signs" title={names.join(", ")}>
      {names.map((name) => (
        <MemberSign key={name} name={name} size="s" />
      ))}
      <span className="unseen">{names.join(", ")}</span>
    </span>
  );
}

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  /** For assistive technology, where the label is an icon. */
  readonly name?: string;
}

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly options: readonly Option<Value>[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

/** A few choices of which one is on. */
export function Segments<Value extends string>({ label, options, chosen, onChoose }: SegmentsProps<Value>) {
  return (
    <span className="seg" role="group" aria-label={label}>
      {options.map(({ value, label: shown, name }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          aria-label={name}
          title={name}
          onClick={() => onChoose(value)}
        >
          {shown}
        </button>
      ))}
    </span>
  );
}
