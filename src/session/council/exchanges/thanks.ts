/**
 * Detects texts that only thank or acknowledge, so that they start no turn. When in doubt they do: an unlisted word, a
 * question or a number counts as content.
 */
const TOKENS_MAX = 12;

const PHRASES = [
  "thank you",
  "many thanks",
  "thanks a lot",
  "thanks so much",
  "you are welcome",
  "youre welcome",
  "got it",
  "will do",
  "sounds good",
  "looks good",
  "no problem",
  "no worries",
  "nothing to add",
  "nothing more to add",
  "i have nothing to add",
  "i agree",
  "vielen dank",
  "alles klar",
  "nichts hinzuzufügen",
  "merci beaucoup",
  "muchas gracias",
];

const VOCABULARY = new Set(
  (
    "thanks thank thx ty cheers ok okay k noted understood acknowledged ack roger agreed agree great perfect nice good " +
    "cool fine sure yes yep right correct excellent wonderful done received welcome bye goodbye danke merci gracias " +
    "obrigado obrigada grazie verstanden einverstanden okidoki for the your that it much very so all and again my " +
    "answer reply help explanation you i am"
  ).split(" "),
);
/** Without one of these, the text is not an acknowledgement. */
const ACKNOWLEDGEMENTS = new Set(
  (
    "thanks thank thx ty cheers ok okay k noted understood acknowledged ack roger agreed agree great perfect cool fine " +
    "welcome received danke merci gracias obrigado obrigada grazie verstanden einverstanden"
  ).split(" "),
);

/** `names`: members, who may be thanked by name. */
export function isOnlyThanks(text: string, names: readonly string[] = []): boolean {
  if (text.includes("?") || text.length > 400) return false;
  const plain = text
    .toLowerCase()
    .replaceAll(/['’`]/g, "")
    .replaceAll(/@[a-z0-9_-]+/g, " ")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  if (plain === "") return text.trim() !== "";
  let rest = ` ${plain} `;
  let hasThanks = false;
  for (const phrase of PHRASES) {
    if (!rest.includes(` ${phrase} `)) continue;
    hasThanks = true;
    rest = rest.replaceAll(` ${phrase} `, " ");
  }
  const tokens = rest.split(" ").filter((word) => word !== "");
  hasThanks ||= tokens.some((word) => ACKNOWLEDGEMENTS.has(word));
  return (
    hasThanks && tokens.length <= TOKENS_MAX && tokens.every((word) => VOCABULARY.has(word) || names.includes(word))
  );
}
