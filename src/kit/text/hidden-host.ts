/** Where a link leads whose words read as the address of another place. */

const READS_AS_ADDRESS = /^(?:https?:\/\/|(?:[\p{L}\p{N}_-]+\.)+\p{L}{2,}(?:$|[\s/:?#@]))/iu;
/** What is not seen, or looks like the dot in an address, would make an address read as something else here only. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
const DOTS = /[。․‧]/gu;

/** Undefined when the words are plain ones, or name the host themselves. */
export function hiddenHost(text: string, href: string): string | undefined {
  const { host } = URL.parse(href) ?? { host: "" };
  const seen = text.replaceAll(UNSEEN, "").replaceAll(DOTS, ".").normalize("NFKC").trim().toLowerCase();
  if (host === "" || !READS_AS_ADDRESS.test(seen)) return undefined;
  const shownHost = seen.replace(/^https?:\/\//, "").split(/[\s/?#\\]/)[0];
  return shownHost === host ? undefined : host;
}
