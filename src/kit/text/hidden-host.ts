/** Detects links whose text looks like one address and whose target is another host (phishing). */

const READS_AS_ADDRESS = /^(?:https?:\/\/|(?:[\p{L}\p{N}_-]+\.)+\p{L}{2,}(?:$|[\s/:?#@]))/iu;
/** Invisible characters and dot lookalikes would disguise an address in the text. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
const DOTS = /[。․‧]/gu;

/** The real host; undefined when the text is not an address or names the same host. */
export function hiddenHost(text: string, href: string): string | undefined {
  const { host } = URL.parse(href) ?? { host: "" };
  const seen = text.replaceAll(UNSEEN, "").replaceAll(DOTS, ".").normalize("NFKC").trim().toLowerCase();
  if (host === "" || !READS_AS_ADDRESS.test(seen)) return undefined;
  const shownHost = seen.replace(/^https?:\/\//, "").split(/[\s/?#\\]/)[0];
  return shownHost === host ? undefined : host;
}
