/** Who gets what is written, before it is sent. */
import { recipientsOf, formatRecipients } from "../../transcript/index.ts";
import { parseCommandLine } from "../../kit/text/command-line.ts";
import { useApp } from "../store/use-store.ts";
import { inPlainSight } from "../format/plain-sight.ts";

export function RecipientsLine({ text }: { text: string }) {
  const label = useApp(({ transcript }) =>
    transcript === undefined ? "" : formatRecipients(recipientsOf(text, transcript)),
  );
  if (text.trim() === "" || label === "" || parseCommandLine(text).kind !== "message") return null;
  return <span className="recipients fact">{inPlainSight(label.charAt(0).toUpperCase() + label.slice(1))}</span>;
}
