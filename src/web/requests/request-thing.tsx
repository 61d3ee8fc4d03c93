/** The requested action in full, with its facts; the same on the card and in the inbox. */
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { type DescribedRequest, fieldText } from "../../transcript/index.ts";
import { Patch } from "../diff/patch.tsx";
import { inPlainSight } from "../format/plain-sight.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

/** The command, the change, or a tool with its arguments. */
export function RequestThing({ described: { kind, command, files, diff, fields } }: { described: DescribedRequest }) {
  const hasFiles = kind === "edit" && files.length > 0;
  if (command === undefined && !hasFiles && diff === undefined && fields.length === 0) return null;
  return (
    <ScrollBox>
      {command === undefined ? null : (
        <pre className="cmd" role="group" aria-label="Command">
          <span className="prompt">$ </span>
          {inPlainSight(command.line)}
        </pre>
      )}
      {hasFiles ? <Files files={files} /> : null}
      {diff === undefined ? null : <Patch patch={diff.text} {...(files[0] === undefined ? {} : { path: files[0] })} />}
      {fields.length === 0 ? null : <Block label="Arguments" text={fields.map(fieldText).join("\n")} />}
    </ScrollBox>
  );
}

/** Scrolls on its own, with a hint below when there is more: empty lines would look like the end. */
function ScrollBox({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const hasMore = useHasMore(box);
  return (
    <div className="thing-frame">
      <div ref={box} className="thing" tabIndex={0} role="group" aria-label="Requested action">
        <div>{children}</div>
      </div>
      {hasMore ? (
        <button
          type="button"
          className="more-below"
          onClick={() => box.current?.scrollBy({ top: box.current.clientHeight * 0.9 })}
        >
          <Icon name="arrow-down" size="s" />
          More below
        </button>
      ) : null}
    </div>
  );
}

/** Tolerance for fractions of pixels. */
const AT_END_PX = 2;

function useHasMore(box: RefObject<HTMLElement | null>): boolean {
  const [hasMore, setMore] = useState(false);
  useLayoutEffect(() => {
    const node = box.current;
    if (node === null) return undefined;
    const measure = (): void => setMore(node.scrollHeight - node.scrollTop - node.clientHeight > AT_END_PX);
    const sizes = new ResizeObserver(measure);
    for (const one of [node, ...node.children]) sizes.observe(one);
    node.addEventListener("scroll", measure, { passive: true });
    return () => {
      sizes.disconnect();
      node.removeEventListener("scroll", measure);
    };
  }, [box]);
  return hasMore;
}

interface RequestFactsProps {
  readonly described: DescribedRequest;
  readonly children?: ReactNode;
}

/** Directory, notes and the agent's own reason. */
export function RequestFacts({ described: { command, notes, reason }, children }: RequestFactsProps) {
  return (
    <div className="about">
      {command?.directory === undefined ? null : <Fact icon="folder" text={`in ${command.directory}`} />}
      {notes.map((note) => (
        <Fact key={fieldText(note)} icon={note.name === "Link" ? "link" : "shield"} text={fieldText(note)} />
      ))}
      {reason === undefined ? null : <Fact icon="message-square" text={reason} />}
      {children}
    </div>
  );
}

function Fact({ icon, text }: { icon: IconName; text: string }) {
  return (
    <span className="about-fact" dir="auto">
      <Icon name={icon} size="s" />
      {inPlainSight(text)}
    </span>
  );
}

/** Whole paths, one a line. */
function Files({ files }: { files: readonly string[] }) {
  return (
    <ul className="request-files" aria-label="Files">
      {files.map((file) => {
        const at = file.lastIndexOf("/") + 1;
        return (
          <li key={file} className="path">
            <span className="fact">{inPlainSight(file.slice(0, at))}</span>
            {inPlainSight(file.slice(at))}
          </li>
        );
      })}
    </ul>
  );
}

export function Block({ label, text }: { label: string; text: string }) {
  return (
    <pre className="call" tabIndex={0} role="group" aria-label={label}>
      {inPlainSight(text)}
    </pre>
  );
}
