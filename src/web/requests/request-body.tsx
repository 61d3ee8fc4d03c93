/** What is asked about, whole: the command that would run, the change that would be made, or a tool with its arguments. */
import { fieldText, type DescribedRequest } from "../../transcript/index.ts";
import { DiffView } from "../conversation/blocks/diff-view.tsx";
import { inPlainSight } from "../format/plain-sight.ts";

export function RequestBody({ described }: { described: DescribedRequest }) {
  const { kind, title, reason, message, command, files, diff, fields, details } = described;
  return (
    <div className="request-body">
      {kind === "question" ? <Paragraph text={title} /> : null}
      <Paragraph text={message} />
      {command === undefined ? null : <Command {...command} />}
      {files.length < 2 ? null : <Block label="Files" text={files.join("\n")} />}
      {diff === undefined ? null : <DiffView diff={diff.text} />}
      {fields.length === 0 ? null : <Block label="Arguments" text={fields.map(fieldText).join("\n")} />}
      {kind === "question" ? null : <Paragraph text={title} />}
      <Paragraph text={reason === undefined ? undefined : `“${reason}”`} />
      {details.length === 0 ? null : (
        <details className="request-details">
          <summary>Details</summary>
          <Block label="Details" text={details.map(fieldText).join("\n")} />
        </details>
      )}
    </div>
  );
}

function Paragraph({ text }: { text: string | undefined }) {
  if (text === undefined || text === "") return null;
  return (
    <p className="text" dir="auto">
      {inPlainSight(text)}
    </p>
  );
}

function Command({ line, directory }: { line: string; directory?: string }) {
  return (
    <>
      <Block label="Command" text={`$ ${line}`} />
      {directory === undefined ? null : <p className="fact">in {inPlainSight(directory)}</p>}
    </>
  );
}

function Block({ label, text }: { label: string; text: string }) {
  return (
    <pre className="call" tabIndex={0} role="group" aria-label={label}>
      {inPlainSight(text)}
    </pre>
  );
}
