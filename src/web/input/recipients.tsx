/** Who gets what is written, before it is sent. */
import { recipientsOf, recipientWords } from "../../transcript/index.ts";
import { parseCommandLine } from "../../kit/command-line.ts";
import { useApp } from "../store/use-store.ts";
import { inPlainSight } from "../words/plain-sight.ts";

export function RecipientsLine({ text }: { text: string }) {
  const words = useApp(({ transcript }) =>
    transcript === undefined ? "" : recipientWords(recipientsOf(text, transcript)),
  );
  if (text.trim() === "" || words === "" || parseCommandLine(text).kind !== "message") return null;
  return <span className="recipients fact">{inPlainSight(words.charAt(0).toUpperCase() + words.slice(1))}</span>;
}
